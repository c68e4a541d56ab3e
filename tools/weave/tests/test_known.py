"""The facts about a page that others read."""

from project import TextTest

from weave.rendered.known import identify, sitemap
from weave.rendered.tree import Element, parsed

ADDRESS = {"version": "1.2", "address": "https://example.org/book"}


def page(contents: str, title: str = "Score · sqrtdk") -> Element:
    return parsed(f"<html><head><title>{title}</title></head><body><!-- PageDoc --><span class='version'></span>"
                  f"<div class='contents'>{contents}</div></body></html>")


def facts(tree: Element) -> dict[str, str]:
    return {meta.get("name") or meta.get("property"): meta.get("content") for meta in tree.iter("meta")}


class Known(TextTest):

    def test_a_page_says_what_its_author_wrote_of_it(self) -> None:
        tree = page('<p>No.</p><div data-description="The variance is &quot;d&quot;."></div>')
        identify(tree, "score.html", {})
        self.assertEqual(facts(tree), {"og:type": "article", "og:title": "Score", "og:site_name": "sqrtdk",
                                       "description": 'The variance is "d".', "og:description": 'The variance is "d".'})
        self.assertFalse(tree.xpath("//*[@data-description] | //link"))

    def test_otherwise_it_says_its_first_sentence_without_a_formula(self) -> None:
        tree = page(r"<p>Of \(d\) terms nobody outside of a page can read anything.</p>"
                    "<p>Short. A score adds up as many products as a head has dimensions. More.</p>")
        identify(tree, "score.html", {})
        self.assertEqual(facts(tree)["description"], "A score adds up as many products as a head has dimensions.")

    def test_with_an_address_it_has_a_link_of_its_own_and_a_picture(self) -> None:
        tree = page("<p>x</p>")
        identify(tree, "index.html", ADDRESS)
        self.assertEqual(tree.xpath("//link[@rel='canonical']/@href"), ["https://example.org/book/"])
        self.assertEqual(facts(tree)["og:url"], "https://example.org/book/")
        self.assertTrue(facts(tree)["og:image"].startswith("https://example.org/book/"))
        self.assertEqual(tree.xpath("//span[@class='version']")[0].text, "1.2")

    def test_the_map_lists_all_pages(self) -> None:
        self.assert_has(sitemap("https://example.org/b&b", ["score.html", "index.html"]),
                        "<loc>https://example.org/b&amp;b/</loc>", "<loc>https://example.org/b&amp;b/score.html</loc>")
