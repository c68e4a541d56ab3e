# SPDX-License-Identifier: BSL-1.0
"""What tools/mutate does to C++, and how its list of equivalent mutations is read."""

import argparse
import random
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

TOOLS = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOOLS))

# pylint: disable=wrong-import-position
from mutation.command import EQUIVALENT, Candidate, candidates_of, drawn, options_of, stale_entries  # noqa: E402
from mutation.operators import ARITHMETIC, LOGIC, OPERATORS, Mutation, mutations_of  # noqa: E402
from mutation.subjects import KIT, SOURCE, Subject, chapters, subjects_of  # noqa: E402
from mutation.survivors import hunk_of, read_survivors  # noqa: E402
from mutation.trial import changes_of, Compilation, compilations  # noqa: E402


def results(operator: str, code: str) -> set[str]:
    """What an operator makes of a piece of code."""
    return {mutation.applied_to(code) for mutation in mutations_of(code, whole=True) if mutation.operator == operator}


class Operators(unittest.TestCase):
    def check(self, operator: str, code: str, *expected: str) -> None:
        self.assertEqual(results(operator, code), set(expected))

    def test_constants_are_off_by_one(self) -> None:
        self.check("number", "x = 2 * y + 0.25;", "x = 3 * y + 0.25;", "x = 1 * y + 0.25;", "x = 2 * y + 0.35;")
        self.check("number", "x1 = v[0];", "x1 = v[1];")

    def test_signs_change(self) -> None:
        self.check("sign", "z = x + y * -1;", "z = x - y * -1;", "z = x + y / -1;")
        self.check("sign", "x += y;", "x -= y;")

    def test_relations_become_strict_or_lose_it_or_are_negated(self) -> None:
        self.check("relation", "if (a < b && c == d) e();", "if (a <= b && c == d) e();", "if (a >= b && c == d) e();",
                   "if (a < b && c != d) e();")
        self.check("relation", "for (int i = 0; i < n; ++i)", "for (int i = 0; i <= n; ++i)")
        self.check("relation", "std::vector<int> x; out << x;")

    def test_terms_are_dropped(self) -> None:
        self.check("term", "return a * b + c - d;", "return c - d;", "return a * b - d;", "return a * b + c;")
        self.check("term", "f(x, m + log(s + 1));",
                   "f(x, m);", "f(x, log(s + 1));", "f(x, m + log(s));", "f(x, m + log(1));")
        self.check("term", "{\n  total += x;\n  done();", "{\n  ;\n  done();")

    def test_factors_are_dropped(self) -> None:
        self.check("factor", "y = 4 * tail < 1 + a / b;", "y = 4 < 1 + a / b;", "y = tail < 1 + a / b;",
                   "y = 4 * tail < 1 + a;")
        self.check("factor", "return 64 * eps * x;", "return eps * x;", "return 64 * x;", "return 64 * eps;")

    def test_guards_fall_or_always_bite(self) -> None:
        self.check("guard", "if (x(1) < 0) throw 1;", "if (false) throw 1;", "if (true) throw 1;")
        self.check("guard", "if (a || b(c, d)) return;", "if (false) return;", "if (true) return;", "if (a) return;",
                   "if (b(c, d)) return;")
        self.check("guard", "x = y > 0 ? 1 : 2;", "x = false ? 1 : 2;", "x = true ? 1 : 2;")
        self.check("guard", "{\n  detail::require_one(n);\n}", "{\n  ;\n}")
        self.check("guard", "if (x) y();", "if (false) y();", "if (true) y();")

    def test_connectives_change(self) -> None:
        self.check("connective", "return a && (b || c);", "return a || (b || c);", "return a && (b && c);")
        self.check("connective", "auto&& x = y;")

    def test_statements_are_dropped(self) -> None:
        self.check("statement", "{\n  weights.scale = 1;\n  double y = 2;\n}", "{\n  ;\n  double y = 2;\n}")
        self.check("statement", "{\n  found.push_back(f(x));\n  ++n;\n  return x.size();\n}",
                   "{\n  ;\n  ++n;\n  return x.size();\n}", "{\n  found.push_back(f(x));\n  ;\n  return x.size();\n}")

    def test_functions_are_taken_for_others(self) -> None:
        self.check("function", "std::min(a, log(b));", "std::max(a, log(b));", "std::min(a, log2(b));")
        self.check("function", "cdf(complement(law, x));", "cdf(law, x);")
        self.check("function", "quantile(law, p);", "quantile(complement(law, p));")
        self.check("function", "minimum(a); domain_error(b);")

    def test_arguments_change_places(self) -> None:
        self.check("argument", "f(a, g(b, c), a);", "f(g(b, c), a, a);", "f(a, a, g(b, c));", "f(a, g(c, b), a);")
        self.check("argument", "return {a, b};", "return {b, a};")
        self.check("argument", "f(a, a); if (x) y();")
        self.check("argument", "Real f(const Real& a, std::size_t n) {}")

    def test_types_are_narrowed(self) -> None:
        self.check("type", "static_cast<double>(x);", "static_cast<float>(x);")
        self.check("type", "const long double x = 0.1;", "const double x = 0.1;", "const long double x = 0.1F;")
        self.check("type", "x = 0.5;")

    def test_messages_comments_and_declarations_are_left_alone(self) -> None:
        for code in ('throw std::domain_error("a + b" + text(n - 1));', "// a + b", "#if A + 1", "using A = B<2 + 3>;",
                     "static_assert(a + 1 == b);", "template <int n = 1 + 2>\n"):
            found = [one for one in mutations_of(code, whole=True) if one.operator in ARITHMETIC]
            self.assertEqual(found, [], code)

    def test_only_bodies_are_mutated(self) -> None:
        text = "int f(int a = 1 + 2);\n\n// -----------\n\nint f(int a) { return a - 1; }\n"
        self.assertTrue(all(one.start > text.index("// --") for one in mutations_of(text)))
        self.assertTrue(mutations_of(text))

    def test_every_operator_mutates_the_library(self) -> None:
        found = {one.operator for path in SOURCE.rglob("*.hpp")
                 for one in mutations_of(path.read_text(), whole="detail" in path.parts)}
        self.assertEqual(found, set(OPERATORS))
        self.assertEqual(set(OPERATORS), set(ARITHMETIC) | set(LOGIC))

    def test_the_gaps_that_another_tool_found_are_among_the_mutations(self) -> None:
        self.check("factor", "if (4 * tail < 1) x();", "if (4 < 1) x();", "if (tail < 1) x();")
        self.assertIn("return maximum_;", results("term", "return maximum_ + log(sum_);"))
        self.assertIn("y = log2(x);", results("function", "y = log(x);"))


LIST = """# A comment.
src/a.hpp
 {
-  if (x > 1) f();
+  if (x >= 1) f();
f(1) does
nothing.

src/a.hpp
   g();
-  h(a,
-    b);
+  h(b, a);
They are equal.
"""


class Survivors(unittest.TestCase):
    def test_the_list_is_what_the_command_prints_and_a_reason(self) -> None:
        text = "{\n  if (x > 1) f();\n}\n"
        mutation = Mutation(text.index(">"), text.index(">") + 1, ">=", "relation")
        hunk = hunk_of("src/a.hpp", text, mutation)
        survivors = read_survivors(LIST)
        self.assertEqual(survivors[hunk], "f(1) does nothing.")
        self.assertEqual(len(survivors), 2)
        self.assertEqual(read_survivors(f"{hunk}\nBecause.\n"), {hunk: "Because."})

    def test_an_entry_is_stale_when_its_lines_are_gone(self) -> None:
        entries = list(read_survivors(LIST))
        self.assertTrue(entries[0].stands_in("\n{\n  if (x > 1) f();\n"))
        self.assertFalse(entries[0].stands_in("}\n  if (x > 1) f();\n"))
        self.assertTrue(entries[1].stands_in("  g();\n  h(a,\n    b);\n"))
        self.assertFalse(entries[1].stands_in("  g();\n  h(a,\n"))

    def test_an_entry_without_a_reason_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "src/a.hpp needs"):
            read_survivors("src/a.hpp\n {\n-a\n+b\n")

    def test_the_list_of_the_project_can_be_read_and_none_is_stale(self) -> None:
        self.assertEqual(stale_entries(read_survivors(EQUIVALENT.read_text())), [])


class Command(unittest.TestCase):
    def candidates(self, subject: Subject) -> list[Candidate]:
        return candidates_of(subject, options_of([]), [])[0]

    def test_the_same_seed_draws_the_same_mutations_operator_by_operator(self) -> None:
        subject, = subjects_of("moments")
        candidates = self.candidates(subject)
        first, again = (list(drawn(candidates, random.Random("1"))) for _ in range(2))
        self.assertTrue(candidates)
        self.assertEqual(first, again)
        self.assertEqual(len(first), len(candidates))
        there = {candidate.mutation.operator for candidate in candidates}
        self.assertEqual({candidate.mutation.operator for candidate in first[:len(there)]}, there)

    def test_what_is_equivalent_is_not_tried_unless_asked_for(self) -> None:
        subject, = subjects_of("moments")
        candidates = self.candidates(subject)
        equivalent = [candidates[0].hunk]
        left, known = candidates_of(subject, options_of([]), equivalent)
        self.assertEqual((len(left), known), (len(candidates) - 1, 1))
        self.assertEqual(len(candidates_of(subject, options_of(["--again"]), equivalent)[0]), len(candidates))

    def test_headers_of_the_kit_are_tried_by_the_tests_that_name_them(self) -> None:
        subject, = subjects_of("src/sqrtdk/testing/statistics/e_process.hpp")
        self.assertEqual(subject.programs, ["e_process_tests"])

    def test_bodies_are_found_behind_a_ruler_in_definitions_and_in_sources(self) -> None:
        for path in ("src/sqrtdk/moments.hpp", "src/sqrtdk/testing/laws/softmax_laws_definitions.hpp",
                     "src/sqrtdk/testing/statistics/checks.cpp"):
            with self.subTest(path):
                self.assertTrue(candidates_of(subjects_of(path)[0], options_of([]), [])[0])

    def test_the_kit_is_all_of_its_folders(self) -> None:
        headers = {header for subject in subjects_of("kit") for header in subject.headers}
        self.assertEqual({KIT, *(folder for folder in KIT.iterdir() if folder.is_dir())},
                         {header.parent for header in headers})

    def test_headers_of_the_library_are_tried_by_the_chapters_that_they_belong_to(self) -> None:
        subject, = subjects_of("src/sqrtdk/distributions/detail/score_quantile.hpp")
        self.assertIn("score_distribution_properties", subject.programs)
        self.assertNotIn("exercises", chapters())

    def test_a_header_without_a_claim_is_tried_by_the_tests_that_reach_it(self) -> None:
        subject, = subjects_of("src/sqrtdk/numbers/float_environment.hpp")
        self.assertIn("float_environment_tests", subject.programs)

    def test_lines_and_operators_restrict_what_is_drawn(self) -> None:
        options = options_of(["--lines", "src/sqrtdk/moments.hpp:200-230", "--operators", "guard,term"])
        subject, = subjects_of("moments")
        found, _ = candidates_of(subject, options, [])
        self.assertTrue(found)
        self.assertTrue(all(200 <= one.line <= 230 and one.mutation.operator in ("guard", "term") for one in found))

    def test_what_is_no_subject_is_refused(self) -> None:
        for wrong in "nothing", "src/sqrtdk/nothing.hpp", "README.md":
            with self.assertRaises(argparse.ArgumentTypeError):
                subjects_of(wrong)


class Trials(unittest.TestCase):
    def test_a_header_of_the_kit_is_compiled_in_the_sources_that_include_it(self) -> None:
        laws = KIT / "laws"
        among = [Compilation(target, file, (file,), ()) for target, file in (
            ("sqrtdk_laws", laws / "softmax_laws.cpp"), ("sqrtdk_laws", laws / "softmax_backward_laws.cpp"),
            ("formats_tests", SOURCE.parent.parent / "tests/laws/formats_tests.cpp"))]

        def files_changed_by(path: Path) -> list[str]:
            return [one.file.name for one in changes_of(path, among)]

        self.assertEqual(files_changed_by(laws / "softmax_laws_definitions.hpp"), ["softmax_laws.cpp"])
        self.assertEqual(files_changed_by(laws / "wide.hpp"), ["softmax_laws.cpp", "softmax_backward_laws.cpp"])
        self.assertEqual(files_changed_by(laws / "softmax_backward_laws.cpp"), ["softmax_backward_laws.cpp"])
        self.assertEqual(files_changed_by(SOURCE / "softmax.hpp"), [])

    def test_sources_that_are_compiled_together_come_from_the_copy(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            file, source = folder / "unity_laws_cxx.cxx", KIT / "laws/softmax_laws.cpp"
            file.write_text(f'#include "{source}"\n')
            words = ("g++", f"-I{SOURCE.parent}", "-o", "x.o", "-c", str(file))
            unit = Compilation("sqrtdk_laws", file, (source,), words)
            self.assertEqual(changes_of(source, [unit]), [unit])
            self.assertEqual(unit.into(folder, 7),
                             ["g++", f"-I{folder}/src", "-o", f"{folder}/7.o", "-c", f"{folder}/7.cpp", "-w"])
            self.assertEqual((folder / "7.cpp").read_text(),
                             f'#include "{folder}/src/sqrtdk/testing/laws/softmax_laws.cpp"\n')

    def test_says_that_nothing_says_how_programs_are_compiled(self) -> None:
        with tempfile.TemporaryDirectory() as name, patch("mutation.trial.BUILD", Path(name)):
            for text in (None, "[{"):
                if text:
                    (Path(name) / "compile_commands.json").write_text(text)
                with self.assertRaisesRegex(SystemExit, "build/release does not say how .*; run ./tools/test first"):
                    compilations()


if __name__ == "__main__":
    unittest.main()
