"""Hand-ins that cheat, attack or break: cheats.py PROGRAM, the judges of softmax. None makes a point or does harm."""

import os
import sys
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position,wrong-import-order
from exercises import judging  # noqa: E402

PROGRAM = Path(sys.argv[1])
RIGHT = "def ratio_for_99_percent(n):\n    return 99 * (n - 1)\n"
YES = "def keeps_factor_law(normalize, weights, factor):\n    return True\n"
CHANNEL = """import os, sys
channel = int(sys.argv[1])
"""

COUNTS = """import sys
sys.calls = 0
def keeps_factor_law(normalize, weights, factor):
    sys.calls += 1
    return {rule}
"""
REMEMBERS = """from collections import Counter
first, seen, often = [], {{}}, Counter()
def keeps_factor_law(normalize, weights, factor):
    new = str([normalize(some) for some in ([1], [1, 2], [200, 1, 300, 5])])
    first.append(new)
    often[new] += 1
    return {what}
"""
MEMORIES = ["new == first[0]", "new == seen.setdefault(tuple(weights), new)", "new == often.most_common(1)[0][0]",
            "new != seen.setdefault(tuple(weights), new)"]
RULES = [*(f"sys.calls <= {n}" for n in (0, 1, 100, 199, 200, 201, 202, 203, 205, 210, 220, 230, 400, 1000)),
         "sys.calls % 2 == 1", "sys.calls % 200 != 1", "sys.calls <= 200 or __import__('random').random() < 0.5"]
ATTACKS = {
    "ends with success": "import os\nos._exit(0)\n",
    "says that it is solved": "print('NinetyNinePercent is solved.', flush=True)\n__import__('os')._exit(0)\n",
    "writes a grade": "import os\nos.write(1, b'{\"points\": 200, \"of\": 200}')\nraise SystemExit(0)\n",
    "patches who calls it": "import sys\nm = sys.modules['__main__']\nm.words = m.answer = lambda *a: 'True'\n",
    "walks the frames": """
import sys
f = sys._getframe()
while f:
    [v.close() for v in f.f_locals.values() if hasattr(v, 'close')]
    f = f.f_back
""",
    "kills what started it": "import os\nos.kill(os.getppid(), 9)\n",
    "kills all that it finds": """
import os
[os.kill(int(p), 9) for p in os.listdir('/proc')
 if p.isdigit() and b'\\0NinetyNine' in open(f'/proc/{p}/cmdline', 'rb').read()]
""",
    "writes into the judges": f"import os\nos.unlink({str(PROGRAM)!r})\nopen({str(PROGRAM)!r}, 'w').write('exit 0')\n",
    "answers without being asked": CHANNEL + "os.write(channel, b'ready\\n' + b'returned True\\tTrue\\n' * 5000)\n",
    "writes the judges' lines": CHANNEL + "os.write(channel, b'ready\\nparts 1\\npart 1\\nrefuses\\n' * 9)\n",
    "ends with no words": CHANNEL + "os.write(channel, b'ended x\\n')\n",
    "is no Unicode": "raise ValueError('\\ud800')\n",
    "writes without a line's end": CHANNEL + "while True: os.write(channel, b'x' * 65536)\n",
    "closes all files": "import os\nos.closerange(0, 256)\n",
    "prints without end": "while True: print('x' * 9999)\n",
    "hides its end": CHANNEL + "os.write(channel, b'ended \"x\\\\u001b[8m\"\\n')\n",
    "ignores the alarm": """
import signal
signal.signal(signal.SIGALRM, signal.SIG_IGN)
while True:
    try:
        while True: pass
    except BaseException: pass
""",
    "takes all memory": "x = bytearray(1 << 33)\n",
    "starts processes": "import os\nwhile True: os.fork()\n",
    "leaves a thread": "import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()\n",
    "ends at exit": "import atexit, os\natexit.register(os._exit, 0)\nraise SystemExit\n",
    "is empty": "", "is no Python": "def (:\n", "is no text": "\x00\xff"}
REFUSED = {
    "os.fork()": "Resource temporarily unavailable",
    "os.posix_spawn('/bin/true', ['true'], {})": "Resource temporarily unavailable",
    "threading.Thread().start()": "can't start new thread",
    "bytearray(1 << 33)": "MemoryError",
    "os.posix_fadvise(os.open('/etc/passwd', os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)": "Function not implemented"}
ANSWERS = {
    "equals all": "type('E', (), {'__eq__': lambda *a: True, '__bool__': lambda *a: True})()",
    "no words": "type('R', (), {'__repr__': lambda s: 1 // 0})()",
    "other words": "type('I', (int,), {'__repr__': lambda s: '99', '__str__': lambda s: '99'})(n)",
    "a line's end": "type('N', (), {'__repr__': lambda s: '1\\nreturned 99'})()",
    "nan": "float('nan')", "infinity": "float('inf')", "nothing": "None", "no list": "[]", "negative": "-99 * (n - 1)",
    "nought": "0", "over nought": "type('Z', (), {'tolist': lambda s: '1/0'})()", "large": "10 ** 4000",
    "deep": "[[]] * 10 ** 6", "recursive": "(lambda x: x.append(x) or x)([])",
    "a coin": "__import__('random').choice([99, 198])",
    "the solution": f"__import__('runpy').run_path({str(judging.ROOT / 'exercises/solutions/softmax.py')!r})"
                    "['ratio_for_99_percent'](n)"}
OTHERWISE = ["99 * n - 99", "sum([99] * (n - 1))", "type('T', (), {'tolist': lambda s: 99 * (n - 1)})()",
             "__import__('fractions').Fraction(99 * (n - 1), 1)", "ratio(n)\nratio = lambda n: 99 * (n - 1)",
             "(lambda f: f(f, n))(lambda f, n: 0 if n < 2 else 99 * (n - n // 2) + f(f, n // 2))",
             "print(n) or 99 * (n - 1)"]


class Cheats(unittest.TestCase):

    def setUp(self) -> None:
        judging.SECONDS = 5
        self.program = PROGRAM.read_bytes()

    def judged(self, source: str, exercise: str = "NinetyNinePercent") -> judging.Verdict:
        verdict = judging.judge(PROGRAM, exercise, "cheat.py", source.encode("latin-1"), prints=False)
        self.assertEqual(PROGRAM.read_bytes(), self.program)
        return verdict

    def assert_solved(self, source: str, exercise: str = "NinetyNinePercent") -> None:
        verdict = self.judged(source, exercise)
        self.assertTrue(verdict.solved, verdict.told)

    def test_a_law_that_counts_its_calls_is_refused(self) -> None:
        for rule in RULES:
            with self.subTest(rule):
                self.assertFalse(self.judged(COUNTS.format(rule=rule), "FactorLaw").solved)
        for what in MEMORIES:
            with self.subTest(what):
                self.assertFalse(self.judged(REMEMBERS.format(what=what), "FactorLaw").solved)

    def test_attacks_make_no_point(self) -> None:
        for name, source in ATTACKS.items():
            with self.subTest(name):
                verdict = self.judged(f"{source}\n")
                self.assertFalse(verdict.solved or "\x1b" in verdict.told)
                # A law that says yes is wrong, whatever else the file does.
                self.assertFalse(self.judged(f"{YES}{source}\n", "FactorLaw").solved)
        self.assert_solved(RIGHT)
        for name in ("ends with success", "writes without a line's end"):
            self.assertEqual(self.judged(ATTACKS[name]).ended, "cheat.py ends the program that runs it")

    def test_environment_of_the_grader_changes_no_verdict(self) -> None:
        with unittest.mock.patch.dict(os.environ, SQRTDK_MUTANTS="skip", GTEST_FILTER="-*"):
            self.assert_solved(RIGHT)
            self.assertFalse(self.judged(YES, "FactorLaw").solved)

    def test_what_a_file_may_not_do_is_refused(self) -> None:
        for does, message in REFUSED.items():
            with self.subTest(does):
                verdict = self.judged(f"import os, threading\n{does}\n{RIGHT}")
                self.assertRegex(verdict.told, message)
        if verdict.apart:
            told = self.judged(f"import os\nos.rmdir('/usr/bin')\n{RIGHT}").told  # which is not empty
            self.assertIn("Read-only file system", told)

    def test_wrong_values_make_no_point(self) -> None:
        for name, value in ANSWERS.items():
            with self.subTest(name):
                verdict = self.judged(f"def ratio_for_99_percent(n):\n    return {value}\n")
                self.assertFalse(verdict.solved and (verdict.apart or name != "the solution"), verdict.told)

    def test_right_answers_written_otherwise_are_accepted(self) -> None:
        for value in OTHERWISE:
            with self.subTest(value):
                self.assert_solved(f"def ratio_for_99_percent(n):\n    return {value}\n")

    def test_another_content_meets_other_cases(self) -> None:
        says = ("seen = []\ndef ratio_for_99_percent(n):\n    if len(seen) < 20:\n        seen.append(n)\n"
                "        return 99 * (n - 1)\n    raise ValueError(seen)\n")
        told, again, other = (self.judged(source).told for source in (says, says, says + "#\n"))
        self.assertEqual(told, again)
        self.assertNotEqual(told, other)

    def test_time_is_for_the_file_and_all_calls(self) -> None:
        slow = "import time\ntime.sleep(2)\n"
        law = ("def keeps_factor_law(f, w, c):\n    s = [x / sum(w) for x in w]\n"
               "    return f(w) == s == f([c * x for x in w])\n")
        self.assert_solved(slow + law, "FactorLaw")
        self.assertRegex(self.judged(law.replace("s = [", "while True: pass\n    s = ["), "FactorLaw").told,
                         r"no end within 5 seconds, .*the last one was keeps_factor_law\(a function, \[.*\], ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
