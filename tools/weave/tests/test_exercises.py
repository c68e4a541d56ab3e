"""Exercises: their parts, what is folded, and what their programs print."""

import shutil

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
HOME = "\\figure{sums}\n**Sums add.** A line.\n\\seen A line.\n\\endfigure\n"
TASKS = "docs/exercises/score.md"
OUTPUT = "results/examples/exercise_1_sums.txt"


class Exercises(ProjectTest):

    def setUp(self) -> None:
        super().setUp()
        self.edit("docs/mainpage.md", "- \\subpage score\n", "- \\subpage score\n- \\subpage exercises\n")
        self.write("docs/exercises.md", "# Exercises {#exercises}\n\n1. \\subpage exercise-1\n")
        self.write(PAGE, EXERCISE)
        self.write("examples/exercise_1_sums.cpp", "//! [sum]\nint main() {}\n//! [sum]\n")
        self.write("docs/figures/sums.gp", "plot data\n")
        self.write(OUTPUT, "1 + 1 = 2\n\\ref <b>\n")

    def test_hint_and_solution_are_folded_and_nothing_else(self) -> None:
        page = self.weave_page(PAGE)
        self.assert_in_order(
            page, "## A first guess", "## Hint", "<details", "Show the hint", "Count.", "</details>", "## Solution",
            "Show the solution", "\\snippet", '<pre class="fragment">1 + 1 = 2\n&#92;ref &lt;b&gt;\n</pre>\n',
            "figure-sums", "## What to try next", "More.")
        self.assertEqual([page.count(f"<details class=\"{kind}\"") for kind in ("fold", "cite")], [2, 1])
        self.assertEqual(page.count("</details>"), 3)
        self.assertLess(page.rfind("</details>"), page.find("## What to try next"))

    def test_exercises_stand_in_the_reading_order(self) -> None:
        self.assertIn(r"<span>← \ref exercises</span>", self.weave_page(PAGE))
        self.assertIn(r"<span>← \ref score</span> <span>\ref exercise-1 →</span>", self.read("docs/exercises.md"))

    def test_output_of_no_program(self) -> None:
        (self.root / OUTPUT).unlink()
        self.assert_problem(f"{PAGE}:15: ", r"\output{exercise_1_sums}",
                            "list examples/exercise_1_sums.cpp in examples/CMakeLists.txt")

    def test_what_a_page_or_its_program_lacks(self) -> None:
        order, solution = f"{PAGE}:1: ", f"{PAGE}:12: the solution does not show"
        self.assert_slips(
            (PAGE, "\\output{", "It prints \\output{", f"{PAGE}:15: ", "shares its line with other text"),
            (PAGE, "## Hint\nCount.\n\n", "", order, "parts The question, A first guess, Solution"),
            (PAGE, "## Hint", "## Solution", order, "must be The question, A first guess, Hint"),
            (PAGE, "\\snippet{trimleft} examples/exercise_1_sums.cpp sum", "", solution, "program"),
            (PAGE, "\\output{exercise_1_sums}", "", solution, "prints"),
            (PAGE, HOME, "", solution, "a figure"),
            ("examples/exercise_1_sums.cpp", "\n//! [sum]\n", "\n",
             "examples/exercise_1_sums.cpp:1: the tag [sum] stands 1 times"),
            ("docs/exercises.md", "1. \\subpage exercise-1\n", "",
             f"{PAGE}:1: the page 'exercise-1' is not in the reading order"))

    def test_figure_at_home_elsewhere_will_do(self) -> None:
        solution, rest = EXERCISE.split("## What to try next")
        solution = solution.replace(HOME, "\\showfigure{sums}\n")
        self.write(PAGE, f"{solution}## What to try next\n\n{HOME}{rest}")
        self.assert_woven()

    def test_program_that_no_exercise_quotes(self) -> None:
        self.write("examples/exercise_2_more.cpp", "int main() {}\n")
        self.assert_problem("examples/exercise_2_more.cpp:1: no exercise quotes exercise_2_more")

    def write_tasks(self) -> None:
        """Two exercises that judge themselves, on a page of their own."""
        heads = {"One": "# [One] level 2, 1 point, by hand, claim ScoreVariance",
                 "Two": "# [Two] level 1, 3 points, predict, then run, claim ScoreVariance"}
        self.write("exercises/score.py",
                   "".join(f"{head}\ndef f():\n    pass\n# [{name}]\n" for name, head in heads.items()))
        self.write("exercises/solutions/score.py",
                   "".join(f"# [{name}]\ndef f():\n    return 1\n# [{name}]\n" for name in heads))
        self.edit("docs/exercises.md", "1. ", "- \\subpage exercises-score\n\n\\weave{exercises}\n\n1. ")
        self.write(TASKS, "# Sums {#exercises-score}\n" + "".join(
            f"\n## Task {name} {{#task-{name.lower()}}}\n\\task{{{name}}}\n\n### Hint\nCount.\n\n"
            f"### Solution\n\\solution{{{name}}}\n" for name in heads))

    def test_course_shows_each_task_and_folds_hint_and_solution(self) -> None:
        self.write_tasks()
        woven = self.weave_page(TASKS)
        self.assertEqual(woven.count('<details class="fold"'), 4)
        self.assertEqual(woven[:woven.find("## Task Two")].count("</details>"), 2)
        self.assert_in_order(
            woven, "## Task One", '<pre class="fragment task">def f():\n    pass\n</pre>',
            "Level 2, 1 point, by hand. Claim: ", "Show the solution", "\\snippet exercises/solutions/score.py One",
            "</details>\n\\endhtmlonly\n\n## Task Two",
            "Level 1, 3 points, predict, then run. Claim: \\ref ScoreVariance")
        self.assertIn(r"**Exercises** \ref task-two, \ref task-one.", self.read("theory/score.md"))
        self.assert_in_order(self.read("docs/exercises.md"), r"<td>\ref task-two</td><td>1</td><td>3</td>",
                             r"<td>\ref task-one</td><td>2</td>", "2 exercises, 4 points.")

    def test_copy_for_a_class_lacks_the_solutions(self) -> None:
        self.write_tasks()
        shutil.rmtree(self.root / "exercises/solutions")
        for name in ("One", "Two"):
            self.edit(TASKS, f"### Solution\n\\solution{{{name}}}\n", "")
        self.assert_woven()

    def test_task_that_is_not_told_solved_or_well_marked(self) -> None:
        self.write_tasks()
        file = "exercises/score.py"
        self.assert_slips(
            (TASKS, "\\task{Two}", "No.", f"{file}:5: ", "shows the task of Two 0 times"),
            (TASKS, "\\solution{One}", "\\solution{Two}", f"{file}:1: ", "the solution of One 0 times"),
            (TASKS, "\\task{Two}", "See \\task{Two}", f"{TASKS}:", "'Two' shares its line with other text"),
            (TASKS, "\\task{Two}", "\\task{Three}", f"{TASKS}:", "there is no exercise 'Three'"),
            ("docs/exercises.md", "- \\subpage exercises-score\n", "", f"{TASKS}:1: ", "not in the reading"),
            (file, "claim ScoreVariance\n", "claim ProductMean\n", f"{file}:1: ", "is no claim of score"),
            (file, "predict, then run", "guess", f"{file}:5: ", "begins no exercise", "'a body removed'"),
            (file, "# [One]\n# [Two]", "# [Two]", f"{file}:1: ", "the exercise One does not end"),
            ("exercises/solutions/score.py", "# [Two]\ndef", "def", f"{file}:5: ", "does not solve Two"))


class RecordedOutput(ProjectTest):

    def run_example(self, script: str, *options: str) -> str:
        """The output that is kept of a program."""
        self.write("example", f"#!/bin/sh\n{script}\n")
        (self.root / "example").chmod(0o755)
        done = self.run_weave("output", self.root / "example", self.root / "results/examples/example.txt", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.source("results/examples/example.txt")

    def test_keeps_standard_output_alone_and_a_failure_at_its_end(self) -> None:
        self.assertEqual(self.run_example("echo '½ of it'; echo noise >&2"), "½ of it\n")
        self.assertEqual(self.run_example("echo out; echo err >&2; exit 1"),
                         "out\nerr\n✗ example failed: exit status 1\n")
        self.assertIn("longer than 0.5 seconds", self.run_example("exec sleep 9", "--timeout", "0.5"))
