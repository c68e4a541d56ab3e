"""Links in quoted code: which of Doxygen's guesses stay."""

import unittest

from test_frame import inner

from weave.rendered.links import mend, overloaded
from weave.rendered.tree import parsed

TABLE = '<table class="memberdecls">{}</table>'


def member(page: str, number: int, name: str) -> str:
    """A row of a list of members as Doxygen writes it."""
    return (f'<tr class="memitem:a{number}" id="r_a{number}"><td class="memItemLeft">int&#160;</td>'
            f'<td class="memItemRight"><a class="el" href="{page}.html#a{number}">{name}</a> ()</td></tr>\n')


REFERENCE = (member("namespacesqrtdk", 1, "sum") + member("namespacesqrtdk", 2, "mean") +
             '<tr class="memitem:a3"><td class="memItemRight"><b>mean</b> (const Law &amp;law)</td></tr>\n' +
             member("namespacesqrtdk", 4, "softmax"))


def link(kind: str, name: str, href: str = "namespacesqrtdk.html#a1") -> str:
    return f'<a class="code hl_{kind}" href="{href}">{name}</a>'


def fragment(text: str) -> str:
    return f'<div class="fragment"><div class="line">{text}</div>\n</div><!-- fragment -->'


class Links(unittest.TestCase):

    def mended(self, text: str, **other: str) -> str:
        """A page with this quoted code after mending, beside the reference."""
        page = parsed(fragment(text))
        mend(page, overloaded([*map(parsed, (TABLE.format(REFERENCE), *other.values())), page]))
        return inner(page.body)

    def kept(self, text: str) -> str:
        """Quoted code as a page shows it that keeps all its links."""
        return inner(parsed(fragment(text)).body)

    def test_a_call_of_the_only_function_of_its_name_stays_linked(self) -> None:
        for after in ("(x)", "&lt;double&gt;(x)"):
            text = link("function", "softmax") + after
            self.assertEqual(self.mended(text), self.kept(text))

    def test_an_overloaded_name_is_not_linked(self) -> None:
        self.assertEqual(self.mended(link("function", "mean") + "(x)"), self.kept("mean(x)"))

    def test_a_name_of_two_classes_is_not_linked(self) -> None:
        layer = TABLE.format(member("structsqrtdk_1_1Layer", 5, "softmax"))
        self.assertEqual(self.mended(link("function", "softmax") + "(x)", structsqrtdk_1_1Layer=layer),
                         self.kept("softmax(x)"))
        kept = link("function", "softmax") + "(x)"
        self.assertEqual(self.mended(kept, softmax_8hpp=TABLE.format(REFERENCE)), self.kept(kept))

    def test_a_local_variable_is_not_linked(self) -> None:
        text = f"T {link('function', 'sum')}(n); {link('function', 'sum')}[0] = 1;"
        self.assertEqual(self.mended(text), self.kept("T sum(n); sum[0] = 1;"))

    def test_a_field_is_not_linked_and_a_constant_is(self) -> None:
        text = link("variable", "low", "structsqrtdk_1_1Interval.html#a2") + " " + link("variable", "limit")
        self.assertEqual(self.mended(text), self.kept("low " + link("variable", "limit")))

    def test_a_function_is_not_taken_for_a_constant_of_its_name(self) -> None:
        text = f"{link('variable', 'cdf')}(law, x)"
        self.assertEqual(self.mended(text), self.kept("cdf(law, x)"))

    def test_an_alias_that_files_have_for_themselves_is_not_linked(self) -> None:
        alias = '<span class="keyword">using </span>Wide = double;'
        text = link("typedef", "Wide")
        self.assertEqual(self.mended(text, a_source=alias), self.kept(text))
        self.assertEqual(self.mended(text, a_source=alias, b_source=alias), self.kept("Wide"))

    def test_classes_stay_linked(self) -> None:
        text = link("struct", "Interval", "structsqrtdk_1_1Interval.html")
        self.assertEqual(self.mended(text), self.kept(text))
