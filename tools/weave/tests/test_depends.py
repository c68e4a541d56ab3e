# SPDX-License-Identifier: BSL-1.0
"""Dependencies point one way."""

from project import ProjectTest


class Depends(ProjectTest):

    def depends(self) -> list[str]:
        done = self.run_weave("depends", "--source", self.root)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return [line.split(". ")[0] for line in done.stderr.splitlines()]

    def test_accepts_what_points_backwards(self) -> None:
        self.write("src/sqrtdk/rational.hpp", "#include <vector>\n")
        self.write("src/sqrtdk/moments.hpp", '#include "sqrtdk/rational.hpp"\n')
        self.write("src/sqrtdk/score.hpp", '#include "sqrtdk/moments.hpp"\n'
                   '#include "sqrtdk/detail/score_terms.hpp"\n')
        self.write("src/sqrtdk/detail/score_terms.hpp", '#include <sqrtdk/moments.hpp>\n')
        self.write("src/sqrtdk/testing/laws.hpp",
                   '#include <gtest/gtest.h>\n#include "sqrtdk/score.hpp"\n')
        self.assertEqual(self.depends(), [])

    def test_refuses_a_later_chapter(self) -> None:
        self.write("src/sqrtdk/moments.hpp", '#pragma once\n#include "sqrtdk/score.hpp"\n')
        self.assertEqual(self.depends(), ["src/sqrtdk/moments.hpp:2: the chapter moments includes "
                                          "sqrtdk/score.hpp of the later chapter score"])

    def test_sees_through_details_and_relative_paths(self) -> None:
        self.write("src/sqrtdk/detail/score_terms.hpp", "")
        self.write("src/sqrtdk/moments.hpp", '#include "detail/score_terms.hpp"\n')
        self.assertIn("of the later chapter score", self.depends()[0])

    def test_prefers_the_longest_stem_for_details(self) -> None:
        self.edit("docs/mainpage.md", "- \\subpage score\n",
                  "- \\subpage score\n- \\subpage score_distribution\n")
        self.write("src/sqrtdk/score_distribution.hpp", "")
        self.write("src/sqrtdk/detail/score_distribution_tail.hpp",
                   '#include "sqrtdk/score_distribution.hpp"\n')
        self.assertEqual(self.depends(), [])

    def test_refuses_testing_in_the_mathematics(self) -> None:
        self.write("src/sqrtdk/testing/laws.hpp", "")
        for include in ("<gtest/gtest.h>", "<rapidcheck.h>", "<rapidcheck/gtest.h>",
                        '"sqrtdk/testing/laws.hpp"', '"testing/laws.hpp"'):
            with self.subTest(include):
                self.write("src/sqrtdk/score.hpp", f"\n\n  #  include {include}\n")
                self.assertIn("src/sqrtdk/score.hpp:3: the mathematics includes", self.depends()[0])

    def test_refuses_chapters_in_shared_headers(self) -> None:
        self.write("src/sqrtdk/rational.hpp", '#include "sqrtdk/score.hpp"\n')
        self.assertIn("a header that all chapters share includes", self.depends()[0])

    def test_refuses_properties_in_testing(self) -> None:
        self.write("src/sqrtdk/testing/laws.hpp",
                   '#include "../../../properties/score_properties.cpp"\n')
        self.assertIn("src/sqrtdk/testing/laws.hpp:1: what others test with includes",
                      self.depends()[0])
