# SPDX-License-Identifier: BSL-1.0
"""Exercises: their parts, what is folded, and what their programs print."""

import stat

from project import ProjectTest

PAGE = "docs/exercises/1-sums.md"
EXERCISE = r"""# Exercise 1 {#exercise-1}

## The question
How many?

## A first guess
Guess.

## Hint
Count.

## Solution
\snippet{trimleft} examples/exercise_1_sums.cpp sum

\output{exercise_1_sums}

\figure{sums}
**Sums add.** A line.
\seen A line.
\endfigure

## What to try next
More.
"""
OUTPUT = "results/examples/exercise_1_sums.txt"


class Exercises(ProjectTest):

    def setUp(self) -> None:
        super().setUp()
        self.edit("docs/mainpage.md", "- \\subpage score\n",
                  "- \\subpage score\n- \\subpage exercises\n")
        self.write("docs/exercises.md", "# Exercises {#exercises}\n\n1. \\subpage exercise-1\n")
        self.write(PAGE, EXERCISE)
        self.write("examples/exercise_1_sums.cpp", "//! [sum]\nint main() {}\n//! [sum]\n")
        self.write("docs/figures/sums.gp", "plot data\n")
        self.write(OUTPUT, "1 + 1 = 2\n\\ref <b>\n")

    def assert_problem(self, *parts: str) -> None:
        """Weaving fails with one line that has all parts."""
        done = self.weave()
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertTrue(any(all(part in line for part in parts)
                            for line in done.stderr.splitlines()), done.stderr)

    def test_hint_and_solution_are_folded_and_nothing_else(self) -> None:
        self.assertEqual(self.weave().stderr, "")
        page = self.read(PAGE)
        places = [page.find(part) for part in (
            "## A first guess", "## Hint", "<details", "Show the hint", "Count.", "</details>",
            "## Solution", "Show the solution", "\\snippet", "1 + 1 = 2", "figure-sums",
            "## What to try next", "More.")]
        self.assertNotIn(-1, places)
        self.assertEqual(places, sorted(places))
        self.assertEqual([page.count(f"<details class=\"{kind}\"") for kind in ("fold", "cite")], [2, 1])
        self.assertEqual(page.count("</details>"), 3)
        self.assertLess(page.rfind("</details>"), page.find("## What to try next"))

    def test_output_is_shown_as_it_is(self) -> None:
        self.weave()
        self.assertIn('<pre class="fragment">1 + 1 = 2\n&#92;ref &lt;b&gt;\n</pre>\n', self.read(PAGE))

    def test_exercises_stand_in_the_reading_order(self) -> None:
        self.weave()
        self.assertIn(r"<span>← \ref score</span> <span>\ref exercise-1 →</span>",
                      self.read("docs/exercises.md"))
        self.assertIn(r"<span>← \ref exercises</span>", self.read(PAGE))

    def test_output_of_no_program(self) -> None:
        (self.root / OUTPUT).unlink()
        self.assert_problem(f"{PAGE}:15: ", r"\output{exercise_1_sums}",
                            "list examples/exercise_1_sums.cpp in examples/CMakeLists.txt")

    def test_output_within_a_line(self) -> None:
        self.edit(PAGE, "\\output{", "It prints \\output{")
        self.assert_problem(f"{PAGE}:15: ", "shares its line with other text")

    def test_missing_and_misplaced_parts(self) -> None:
        self.edit(PAGE, "## Hint\nCount.\n\n", "")
        self.assert_problem(f"{PAGE}:1: ", "parts The question, A first guess, Solution")
        self.write(PAGE, EXERCISE.replace("## Hint", "## Solution", 1))
        self.assert_problem(f"{PAGE}:1: ", "must be The question, A first guess, Hint")

    def test_solution_without_program_output_or_figure(self) -> None:
        for line, wrong in (("\\snippet{trimleft} examples/exercise_1_sums.cpp sum", "program"),
                            ("\\output{exercise_1_sums}", "prints"),
                            ("\\figure{sums}\n**Sums add.** A line.\n\\seen A line.\n\\endfigure\n", "a figure")):
            with self.subTest(wrong):
                self.write(PAGE, EXERCISE.replace(line, ""))
                self.assert_problem(f"{PAGE}:12: the solution does not show", wrong)

    def test_figure_at_home_elsewhere_will_do(self) -> None:
        home = "\\figure{sums}\n**Sums add.** A line.\n\\seen A line.\n\\endfigure\n"
        solution, rest = EXERCISE.split("## What to try next")
        self.write(PAGE, f"{solution.replace(home, chr(92) + 'showfigure{sums}' + chr(10))}## What to try "
                         f"next\n\n{home}{rest}")
        self.assertEqual(self.weave().stderr, "")

    def test_program_that_no_exercise_quotes(self) -> None:
        self.write("examples/exercise_2_more.cpp", "int main() {}\n")
        self.assert_problem("examples/exercise_2_more.cpp:1: no exercise quotes exercise_2_more")

    def test_tag_of_a_program_that_is_not_closed(self) -> None:
        self.write("examples/exercise_1_sums.cpp", "//! [sum]\nint main() {}\n")
        self.assert_problem("examples/exercise_1_sums.cpp:1: the tag [sum] stands 1 times")

    def test_exercise_outside_the_reading_order(self) -> None:
        self.edit("docs/exercises.md", "1. \\subpage exercise-1\n", "")
        self.assert_problem(f"{PAGE}:1: the page 'exercise-1' is not in the reading order")

    def test_course_folds_each_hint_and_solution_and_tells_each_task(self) -> None:
        tasks = [f"exercises/{folder}sums/{name}.hpp" for name in ("One", "Two") for folder in ("", "solutions/")]
        for task in tasks:
            self.write(task, "// A hole.\n")
        self.edit("docs/exercises.md", "1. ", "- \\subpage exercises-sums\n\n1. ")
        page = "# Sums {#exercises-sums}\n" + "".join(
            f"\n## Task {n} {{#exercise-task-{n}}}\n\\include {tasks[2 * n]}\n\n### Hint\nCount.\n\n"
            f"### Solution\n\\include {tasks[2 * n + 1]}\n" for n in (0, 1))
        self.write("docs/exercises/sums.md", page)
        self.assertEqual(self.weave().stderr, "")
        woven = self.read("docs/exercises/sums.md")
        self.assertEqual(woven.count('<details class="fold"'), 4)
        self.assertEqual(woven[:woven.find("## Task 1")].count("</details>"), 2)
        self.assertLess(woven.find(tasks[1]), woven.find("</details>", woven.find(tasks[1])))
        self.write("docs/exercises/sums.md", page.replace(f"\\include {tasks[3]}", "No."))
        self.assert_problem(f"{tasks[2]}:1: docs/exercises/sums.md does not tell this exercise")


class RecordedOutput(ProjectTest):

    def run_example(self, script: str) -> str:
        """What is kept of a program."""
        program = self.root / "example"
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        out = self.root / "results/examples/example.txt"
        done = self.run_weave("output", program, out, "--timeout", "0.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        return out.read_text(encoding="utf-8")

    def test_keeps_standard_output_alone(self) -> None:
        self.assertEqual(self.run_example("echo '½ of it'; echo noise >&2"), "½ of it\n")

    def test_a_failure_stands_at_the_end(self) -> None:
        self.assertEqual(self.run_example("echo out; echo err >&2; exit 1"),
                         "out\nerr\n✗ example failed: exit status 1\n")
        self.assertIn("longer than 0.5 seconds", self.run_example("exec sleep 9"))
