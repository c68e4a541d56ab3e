"""Dependencies point one way."""

import re

from project import WEAVE, ProjectTest


class Depends(ProjectTest):

    def depends(self) -> list[str]:
        done = self.run_weave("depends", "--source", self.root)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return [line.split(". ")[0] for line in done.stderr.splitlines()]

    def setUp(self) -> None:
        super().setUp()
        self.includes("moments.hpp")
        self.includes("score.hpp")

    def includes(self, file: str, *included: str, chapter: str = "") -> None:
        """Write a file of the library that includes these; beside the chapters, in its second line and after."""
        file = file.removeprefix("/")
        own = chapter or file.removesuffix(".hpp")
        first = [] if "/" in file else [rf"/// \brief Chapter \ref {own} : a part of it."]
        self.write(f"src/sqrtdk/{file}", "\n".join([*first, *(f"#include <{name}>" for name in included), ""]))

    def test_accepts_what_points_backwards(self) -> None:
        self.includes("numbers/rational.hpp", "vector")
        self.includes("distributions/normal.hpp", "sqrtdk/numbers/rational.hpp", "boost/math.hpp",
                      "sqrtdk/distributions/detail/terms.hpp")
        self.includes("distributions/detail/terms.hpp", "sqrtdk/numbers/rational.hpp")
        self.includes("moments.hpp", "sqrtdk/numbers/rational.hpp")
        self.includes("score.hpp", "sqrtdk/moments.hpp", "sqrtdk/distributions/normal.hpp")
        self.includes("testing/statistics/seed.hpp", "sqrtdk/numbers/rational.hpp")
        self.includes("testing/laws/score_laws.hpp", "sqrtdk/score.hpp", "sqrtdk/testing/statistics/seed.hpp")
        self.includes("testing/generators/floats.hpp", "rapidcheck.h", "sqrtdk/testing/laws/score_laws.hpp")
        self.includes("testing/reporting/printed.hpp", "gtest/gtest.h", "sqrtdk/testing/statistics/seed.hpp")
        self.includes("testing/run.cpp", "gmock/gmock.h", "sqrtdk/testing/reporting/printed.hpp", "sqrtdk/score.hpp")
        self.assertEqual(self.depends(), [])

    def test_refuses_a_later_chapter(self) -> None:
        self.includes("moments.hpp", "sqrtdk/score.hpp")
        self.assertEqual(self.depends(), ["src/sqrtdk/moments.hpp:2: the chapter moments includes "
                                          "sqrtdk/score.hpp, which belongs to the later chapter score"])

    def test_refuses_a_later_chapter_in_a_source_file_and_by_a_relative_path(self) -> None:
        self.write("src/sqrtdk/moments.cpp", '#include "score.hpp"\n')
        self.assertIn("which belongs to the later chapter score", self.depends()[0])

    def test_a_part_of_a_chapter_may_not_rest_on_a_later_one_either(self) -> None:
        self.includes("layers.hpp", "sqrtdk/score.hpp", chapter="score")
        self.assertEqual(self.depends(), [])
        self.includes("parts.hpp", "vector", "sqrtdk/layers.hpp", chapter="moments")
        self.assertEqual(self.depends(), ["src/sqrtdk/parts.hpp:3: the chapter moments includes "
                                          "sqrtdk/layers.hpp, which belongs to the later chapter score"])

    def test_every_header_beside_the_chapters_names_its_chapter(self) -> None:
        self.write("src/sqrtdk/parts.hpp", "#pragma once\n")
        self.assertEqual(self.depends(), ["src/sqrtdk/parts.hpp:1: it belongs to no chapter"])
        self.includes("parts.hpp", chapter="cookery")
        self.assertEqual(self.depends(), ["src/sqrtdk/parts.hpp:1: cookery is no chapter"])

    def test_refuses_test_frameworks_below_what_writes_tests(self) -> None:
        for folder in ("numbers/", "distributions/", "", "testing/statistics/", "testing/laws/"):
            for framework in ("gtest/gtest.h", "gmock/gmock.h", "rapidcheck.h", "rapidcheck/gtest.h"):
                with self.subTest(folder, framework=framework):
                    first = r"/// \brief Chapter \ref score : a part of it."
                    self.write(f"src/sqrtdk/{folder}some.hpp", f"{first}\n\n  #  include <{framework}>\n")
                    self.assertIn(f"src/sqrtdk/{folder}some.hpp:3: ", self.depends()[0])
                    self.assertIn(f"includes {framework}, with which tests are written", self.depends()[0])
            (self.root / f"src/sqrtdk/{folder}some.hpp").unlink()

    def test_refuses_higher_layers(self) -> None:
        layers = ("numbers", "distributions", "", "testing/statistics", "testing/laws", "testing/generators",
                  "testing/reporting", "testing", "c")
        for layer in layers:
            self.includes(f"{layer}/target.hpp", chapter="score")
        for i, low in enumerate(layers):
            for high in layers[i + 1:]:
                with self.subTest(low, includes=high):
                    self.includes(f"{low}/some.hpp", f"sqrtdk/{high}/target.hpp".replace("//", "/"), chapter="score")
                    self.assertIn(f" of {high or 'chapters'}", self.depends()[0])
            (self.root / f"src/sqrtdk/{low}/some.hpp").unlink(missing_ok=True)

    def test_statistics_rest_on_numbers_alone(self) -> None:
        self.includes("testing/statistics/seed.hpp", "sqrtdk/moments.hpp")
        self.assertEqual(self.depends(), ["src/sqrtdk/testing/statistics/seed.hpp:1: testing/statistics includes "
                                          "sqrtdk/moments.hpp of chapters"])

    def test_refuses_the_details_of_another_folder(self) -> None:
        self.includes("distributions/detail/terms.hpp")
        self.includes("moments.hpp", "sqrtdk/distributions/detail/terms.hpp")
        self.assertIn("a detail of another folder", self.depends()[0])

    def test_refuses_what_is_not_of_the_library(self) -> None:
        self.write("src/sqrtdk/testing/laws/moments_laws.hpp",
                   '#include "../../../../properties/moments/ProductMean.cpp"\n')
        self.assertIn("src/sqrtdk/testing/laws/moments_laws.hpp:1: the library includes", self.depends()[0])

    def test_refuses_a_folder_of_no_layer(self) -> None:
        self.includes("testing/shared/some.hpp")
        self.assertEqual(self.depends(), ["src/sqrtdk/testing/shared/some.hpp:1: the folder src/sqrtdk/testing/shared "
                                          "is in no layer"])

    def test_a_folder_beside_the_chapters_is_of_one_chapter(self) -> None:
        part = r"/// \brief Chapter \ref moments : a part of it."
        self.write("src/sqrtdk/moments/parts.hpp", f"{part}\n")
        self.assertEqual(self.depends(), [])
        self.write("src/sqrtdk/moments/parts.hpp", f"{part}\n#include <sqrtdk/score.hpp>\n")
        self.assertEqual(self.depends(), ["src/sqrtdk/moments/parts.hpp:2: the chapter moments includes "
                                          "sqrtdk/score.hpp, which belongs to the later chapter score"])
        self.write("src/sqrtdk/moments/parts.hpp", "#pragma once\n")
        self.assertEqual(self.depends(), ["src/sqrtdk/moments/parts.hpp:1: it belongs to no chapter"])
        self.write("src/sqrtdk/moments/parts.hpp", part.replace("moments", "score"))
        self.assertEqual(self.depends(), ["src/sqrtdk/moments/parts.hpp:1: it belongs to the chapter score, and is in "
                                          "the folder src/sqrtdk/moments"])

    def test_refuses_circles_once(self) -> None:
        self.includes("numbers/one.hpp", "vector", "sqrtdk/numbers/two.hpp")
        self.includes("numbers/two.hpp", "sqrtdk/numbers/three.hpp")
        self.includes("numbers/three.hpp", "sqrtdk/numbers/one.hpp")
        names = [f"src/sqrtdk/numbers/{name}.hpp" for name in ("one", "three", "two")]
        self.assertEqual(self.depends(), [f"{names[0]}:2: files include each other: "
                                          f"{names[0]} → {names[2]} → {names[1]} → {names[0]}"])

    def test_prints_the_folders_and_what_they_rest_on(self) -> None:
        self.includes("numbers/rational.hpp")
        self.includes("distributions/normal.hpp", "sqrtdk/numbers/rational.hpp", "boost/math.hpp")
        self.includes("score.hpp", "sqrtdk/moments.hpp", "sqrtdk/distributions/normal.hpp",
                      "sqrtdk/numbers/rational.hpp")
        done = self.run_weave("depends", "--source", self.root, "--table")
        self.assertEqual(done.stdout.splitlines()[:4], [
            "numbers             rests on nothing of ours", "distributions       → numbers",
            "chapters            → numbers, distributions", "testing/statistics  rests on nothing of ours"])

    def test_the_guide_draws_the_order_of_the_layers(self) -> None:
        checkout = WEAVE.parents[1]
        drawn = re.search(r"^src/sqrtdk/ +(.+) \(score\.hpp, score/\) → testing/{(.+)} → (testing)/\*\.hpp → (c)/;\s+"
                          r"numbers/ → (distributions)/$",
                          (checkout / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
        assert drawn
        order = [*(name.strip(" /") for name in drawn[1].split("→")),
                 *(f"testing/{name}" for name in drawn[2].split(",")), drawn[3], drawn[4], drawn[5]]
        done = self.run_weave("depends", "--source", checkout, "--table")
        table = dict(re.split(" +(?=→|rests)", line) for line in done.stdout.splitlines())
        self.assertEqual(set(table), set(order))
        self.assertFalse([name for name in table if name != drawn[5] and drawn[5] in table[name]])
        for name, targets in table.items():
            for target in re.findall(r"[a-z/]+", targets.partition("→")[2]):
                self.assertLess(order.index(target), order.index(name))
        self.assertIn("→", table["testing"])
