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

    def test_which_links_stay(self) -> None:
        call, template = link("function", "softmax") + "(x)", link("function", "softmax") + "&lt;double&gt;(x)"
        total, constant = link("function", "sum"), link("variable", "limit")
        interval = link("struct", "Interval", "structsqrtdk_1_1Interval.html")
        low = link("variable", "low", "structsqrtdk_1_1Interval.html#a2")
        alias, using = link("typedef", "Wide"), '<span class="keyword">using </span>Wide = double;'
        for sentence, text, kept, *others in (
                ("a call of the only function of its name stays linked", call, call),
                ("a call of the only template of its name stays linked", template, template),
                ("a class stays linked", interval, interval),
                ("an overloaded name is not linked", link("function", "mean") + "(x)", "mean(x)"),
                ("a name of two classes is not linked", call, "softmax(x)",
                 TABLE.format(member("structsqrtdk_1_1Layer", 5, "softmax"))),
                ("a name that two pages list stays linked", call, call, TABLE.format(REFERENCE)),
                ("a local variable is not linked", f"T {total}(n); {total}[0] = 1;", "T sum(n); sum[0] = 1;"),
                ("a field is not linked and a constant is", f"{low} {constant}", f"low {constant}"),
                ("a function is not taken for a constant of its name", f"{link('variable', 'cdf')}(law, x)",
                 "cdf(law, x)"),
                ("an alias of one file stays linked", alias, alias, using),
                ("an alias that files have for themselves is not linked", alias, "Wide", using, using)):
            with self.subTest(sentence):
                page, wanted = parsed(fragment(text)), parsed(fragment(kept))
                mend(page, overloaded([*map(parsed, (TABLE.format(REFERENCE), *others)), page]))
                self.assertEqual(inner(page.body), inner(wanted.body))
