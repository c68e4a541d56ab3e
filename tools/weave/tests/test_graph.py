"""The graph of all claims, and those of the chapters."""

from lxml.html import fromstring
from project import ProjectTest, failing

from weave.rendered.tree import Element
from weave.writing.graph import chapter_dot, chapter_graph, graph_block


class AllClaims(ProjectTest):

    def block(self) -> Element:
        text = graph_block(self.book())
        self.assertTrue(text.startswith("\\htmlonly[block]\n") and text.endswith("\n\\endhtmlonly"))
        return fromstring(f"<div>{text.partition(']')[2].rpartition(chr(92))[0]}</div>")

    def boxes(self) -> dict[str, Element]:
        boxes = self.block().xpath("//div[@class='claim-graph']//a[@data-name]")
        named = {box.get("data-name"): box for box in boxes}
        self.assertEqual(len(boxes), len(named))
        return named

    def test_each_claim_has_one_box_with_its_uses_and_a_link_in_the_colours_of_its_verdict(self) -> None:
        boxes = self.boxes()
        self.assertEqual({name: box.get("data-uses", "").split() for name, box in boxes.items()},
                         {name: list(claim.uses) for name, claim in self.book().claims.items()})
        box = boxes["ScoreVariance"]
        self.assertEqual((box.get("data-uses"), box.get("href"), box.get("class"), box.text),
                         ("ProductMean", "score.html#ScoreVariance", "node badge-exact", "✓ The variance is d"))
        self.record("score", failing("ScoreVariance", "HoldsForAll", "no"))
        box = self.boxes()["ScoreVariance"]
        self.assertEqual((box.get("class"), box.text), ("node badge-failed", "✗ The variance is d"))

    def test_rows_follow_the_reading_order(self) -> None:
        rows = self.block().xpath("//div[@class='claim-graph']/ol/li")
        self.assertEqual([(row[0].get("href"), row[0].text, row.xpath("ul/li/a/@data-name")) for row in rows],
                         [("moments.html", "Moments", ["ProductMean"]), ("score.html", "The score", ["ScoreVariance"])])
        moments, score = "- \\subpage moments", "- \\subpage score"
        self.edit("docs/mainpage.md", f"{moments}\n{score}", f"{score}\n{moments}")
        self.assertEqual(list(self.boxes()), ["ScoreVariance", "ProductMean"])

    def test_the_folded_list_says_what_the_arrows_say(self) -> None:
        fold, = self.block().xpath("//details[@class='graph-list'][not(@open)]")
        self.assertEqual([fold[0].text, *fold.xpath("h2/text()")], ["The same as a list", "Moments", "The score"])
        first, second = (" ".join(item.text_content().split()) for item in fold.xpath("ul/li"))
        self.assertRegex(first, "^✓ The mean of a product ?used by ✓ The variance is d$")
        self.assertRegex(second, "^✓ The variance is d ?rests on ✓ The mean of a product$")
        self.assertEqual(fold.xpath("ul/li/a/@href"), ["moments.html#ProductMean", "score.html#ScoreVariance",
                                                       "score.html#ScoreVariance", "moments.html#ProductMean"])

    def test_the_script_that_draws_the_arrows_is_asked_for_here(self) -> None:
        self.assertEqual(self.block().xpath("//script/@src"), ["graph.js"])


class Chapters(ProjectTest):

    def test_a_chapter_shows_its_neighbours_in_others_and_what_failed(self) -> None:
        book = self.book()
        source = chapter_dot(book, book.chapters[1])
        self.assertRegex(source, r'ProductMean \[.*class="badge-exact other"\]')
        self.assertRegex(source, r'ScoreVariance \[label="✓ exact\\nThe variance is d", '
                                 r'URL="score.html#ScoreVariance".*class="badge-exact"\]')
        self.assertIn("ProductMean -> ScoreVariance;", source)
        self.record("score", failing("ScoreVariance", "HoldsForAll", "no"))
        book = self.book()
        self.assertRegex(chapter_dot(book, book.chapters[0]), r'ScoreVariance \[label="✗ failed.*class="badge-failed')

    def test_a_drawing_has_the_colours_of_the_style_sheet_no_names_that_could_clash_and_a_text(self) -> None:
        book = self.book()
        drawn = chapter_graph(book, book.chapters[1])
        self.assertNotRegex(drawn, r'fill="#|stroke="#|<g id=')
        self.assert_has(drawn, "What rests on what", '<svg role="group" aria-label="The claims of The score',
                        'xlink:href="score.html#ScoreVariance"')

    def test_a_chapter_whose_claims_stand_alone_has_no_graph(self) -> None:
        self.edit("theory/score.md", "By \\ref ProductMean.", "Clear.")
        book = self.book()
        self.assertEqual(chapter_graph(book, book.chapters[0]), "")
