"""Functions that Doxygen explains twice on the page of a group."""

import unittest

import project  # pylint: disable=unused-import  # which knows where the weave is

from weave.rendered.copies import drop_copies
from weave.rendered.tree import parsed, written

ITEM = """<a id="{id}" name="{id}"></a>
<h2 class="memtitle"><span class="permalink"><a href="#{id}">x</a></span>f() <span class="overload">[{n}/2]</span></h2>
<div class="memitem"><p>{text}</p><span class="mlabel">{label}</span></div>
"""
ROW = '<tr class="memitem:{id}"><td>{id}</td></tr>'


def page(*labels: str) -> str:
    """A page with a function for each label, that in a list as well."""
    items = [ITEM.format(id=f"g{n}", n=n, text=f"text {n}", label=label) for n, label in enumerate(labels, 1)]
    rows = [ROW.format(id=f"g{n}") for n, _ in enumerate(labels, 1)]
    tree = parsed(f"<!DOCTYPE html><html><body><table>{''.join(rows)}</table>{''.join(items)}</body></html>")
    drop_copies(tree)
    return written(tree)


class Copies(unittest.TestCase):

    def test_the_function_stays_and_the_name_of_its_copy_leads_to_it(self) -> None:
        text = page("inline", "related")
        for there in ('id="g1"', 'id="g2"', "text 1", "<td>g1</td>"):
            self.assertIn(there, text)
        for gone in ("text 2", "<td>g2</td>", "overload"):
            self.assertNotIn(gone, text)
        self.assertLess(text.index('id="g2"'), text.index("text 1"))

    def test_what_is_related_to_a_class_stays_on_its_page(self) -> None:
        text = page("related", "related")
        self.assertIn("text 1", text)
        self.assertIn("text 2", text)


if __name__ == "__main__":
    unittest.main()
