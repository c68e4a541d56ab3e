"""Dependencies point one way."""

import re
from itertools import combinations

from project import WEAVE, ProjectTest

PART = r"/// \brief Chapter \ref {} : a part of it."


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
        first = [] if "/" in file else [PART.format(own)]
        self.write(f"src/sqrtdk/{file}", "\n".join([*first, *(f"#include <{name}>" for name in included), ""]))

    def test_accepts_what_points_backwards(self) -> None:
        for file, *included in (
                ("numbers/rational.hpp", "vector"),
                ("distributions/normal.hpp", "sqrtdk/numbers/rational.hpp", "boost/math.hpp",
                 "sqrtdk/distributions/detail/terms.hpp"),
                ("distributions/detail/terms.hpp", "sqrtdk/numbers/rational.hpp"),
                ("moments.hpp", "sqrtdk/numbers/rational.hpp"),
                ("score.hpp", "sqrtdk/moments.hpp", "sqrtdk/distributions/normal.hpp"),
                ("testing/statistics/seed.hpp", "sqrtdk/numbers/rational.hpp"),
                ("testing/laws/score_laws.hpp", "sqrtdk/score.hpp", "sqrtdk/testing/statistics/seed.hpp"),
                ("testing/generators/floats.hpp", "rapidcheck.h", "sqrtdk/testing/laws/score_laws.hpp"),
                ("testing/reporting/printed.hpp", "gtest/gtest.h", "sqrtdk/testing/statistics/seed.hpp"),
                ("testing/run.cpp", "gmock/gmock.h", "sqrtdk/testing/reporting/printed.hpp", "sqrtdk/score.hpp")):
            self.includes(file, *included)
        self.assertEqual(self.depends(), [])

    def test_refuses_what_may_not_be_included(self) -> None:
        later = "which belongs to the later chapter score"
        own, others = PART.format("moments"), PART.format("score")
        self.includes("layers.hpp", "sqrtdk/score.hpp", chapter="score")
        self.includes("distributions/detail/terms.hpp")
        for file, text, *told in (
                ("layers.hpp", f"{others}\n#include <sqrtdk/score.hpp>\n"),
                ("moments.hpp", f"{own}\n#include <sqrtdk/score.hpp>\n",
                 f"2: the chapter moments includes sqrtdk/score.hpp, {later}"),
                ("moments.hpp", f"{own}\n#include <sqrtdk/distributions/detail/terms.hpp>\n",
                 "2: chapters includes sqrtdk/distributions/detail/terms.hpp, a detail of another folder"),
                ("moments.cpp", '#include "score.hpp"\n', f"1: the chapter moments includes score.hpp, {later}"),
                ("parts.hpp", f"{own}\n#include <vector>\n#include <sqrtdk/layers.hpp>\n",
                 f"3: the chapter moments includes sqrtdk/layers.hpp, {later}"),
                ("parts.hpp", "#pragma once\n", "1: it belongs to no chapter"),
                ("parts.hpp", PART.format("cookery"), "1: cookery is no chapter"),
                ("moments/parts.hpp", own),
                ("moments/parts.hpp", f"{own}\n#include <sqrtdk/score.hpp>\n",
                 f"2: the chapter moments includes sqrtdk/score.hpp, {later}"),
                ("moments/parts.hpp", "#pragma once\n", "1: it belongs to no chapter"),
                ("moments/parts.hpp", others,
                 "1: it belongs to the chapter score, and is in the folder src/sqrtdk/moments"),
                ("testing/statistics/seed.hpp", "#include <sqrtdk/moments.hpp>\n",
                 "1: testing/statistics includes sqrtdk/moments.hpp of chapters"),
                ("testing/laws/moments_laws.hpp", '#include "../../../../properties/moments/ProductMean.cpp"\n',
                 "1: the library includes ../../../../properties/moments/ProductMean.cpp"),
                ("testing/shared/some.hpp", "", "1: the folder src/sqrtdk/testing/shared is in no layer")):
            with self.subTest(file, text=text):
                self.write(f"src/sqrtdk/{file}", text)
                self.assertEqual(self.depends(), [f"src/sqrtdk/{file}:{line}" for line in told])
            (self.root / "src/sqrtdk" / file).unlink()
            self.includes("moments.hpp")
            self.includes("layers.hpp", "sqrtdk/score.hpp", chapter="score")

    def test_refuses_test_frameworks_below_what_writes_tests(self) -> None:
        frameworks = ("gtest/gtest.h", "gmock/gmock.h", "rapidcheck.h", "rapidcheck/gtest.h")
        for folder in ("numbers/", "distributions/", "", "testing/statistics/", "testing/laws/"):
            file = f"src/sqrtdk/{folder}some.hpp"
            for framework in frameworks:
                with self.subTest(folder, framework=framework):
                    self.write(file, f"{PART.format('score')}\n\n  #  include <{framework}>\n")
                    self.assert_has(self.depends()[0], f"{file}:3: ",
                                    f"includes {framework}, with which tests are written")
            (self.root / file).unlink()

    def test_refuses_higher_layers(self) -> None:
        layers = ("numbers", "distributions", "", "testing/statistics", "testing/laws", "testing/generators",
                  "testing/reporting", "testing", "c")
        for layer in layers:
            self.includes(f"{layer}/target.hpp", chapter="score")
        for low, high in combinations(layers, 2):
            with self.subTest(low, includes=high):
                self.includes(f"{low}/some.hpp", f"sqrtdk/{high}/target.hpp".replace("//", "/"), chapter="score")
                self.assertIn(f" of {high or 'chapters'}", self.depends()[0])
                (self.root / f"src/sqrtdk/{low}/some.hpp").unlink()

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
