"""Elements of HTML escape what is text."""

import unittest

import project  # pylint: disable=unused-import  # finds the weave

from weave.base.elements import Markup, tag


class Elements(unittest.TestCase):

    def test_text_is_escaped_and_elements_are_not(self) -> None:
        self.assertEqual(tag("p", "a < b & \"c\"", tag("b", "<d>"), Markup("<br/>")),
                         "<p>a &lt; b &amp; &quot;c&quot;<b>&lt;d&gt;</b><br/></p>")

    def test_attributes_keep_their_order_and_those_without_a_value_are_left_out(self) -> None:
        self.assertEqual(tag("a", "x", href="b.html#c", class_="d e", title="", aria_label='"f"'),
                         '<a href="b.html#c" class="d e" aria-label="&quot;f&quot;">x</a>')
