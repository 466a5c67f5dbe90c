#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Every command line in a document is understood by the program that it names (command_checks.py says how)."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, "build/release")
sys.path[:0] = [os.path.join(ROOT, "ops"), HERE]
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import command_blocks
from command_checks import FOREIGN, Checks


class CommandLinesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.checks = Checks(ROOT, BUILD)
        cls.tree = cls.checks.catalog.tree

    def test_each_command_is_understood(self):
        checked, wrong, known = 0, [], {}
        for path in command_blocks.documents(self.tree):
            for line, words in command_blocks.commands(self.tree.text(path)):
                checked += 1
                key = tuple(words)
                if key not in known:
                    known[key] = self.checks.wrong(words)
                if known[key]:
                    wrong.append(f"{path}: {line}: {known[key]}")
        self.assertEqual([], wrong, "\n" + "\n".join(wrong))
        self.assertGreater(checked, 80)

    def test_commands_stand_in_blocks_that_say_so(self):
        wrong = [f"{path}: {line}" for path in command_blocks.documents(self.tree)
                 for line in command_blocks.unmarked(self.tree.text(path))]
        self.assertEqual([], wrong, "put these into a block that begins with ```sh")

    def test_data_of_tests_is_there(self):
        for folder in command_blocks.TEST_DATA:
            self.assertTrue(any(path.startswith(folder) for path in self.tree.paths), folder)

    def test_lines_are_read_as_a_shell_does(self):
        text = ("```sh\nA=1 one --x 'a b'  # why\ntwo \\\n  --y && three; four 'p\nq' &\neval \"$(five six)\"\n```\n\n    ops/setup\n\n"
                "```\nops/stack up\n```\n")
        self.assertEqual([words for _, words in command_blocks.commands(text)],
                         [["A=1", "one", "--x", "a b"], ["two", "--y"], ["three"], ["four", "p\nq"], ["eval", "$(five six)"]])
        self.assertEqual(command_blocks.unmarked(text), ["ops/stack up", "    ops/setup"])

    def test_what_is_wrong_is_noticed(self):
        for words in (["ba-agent", "dlq", "list", "--sinse", "1d"], ["ba-agent", "nothing"], ["ops/stack", "upp"], ["ops/test", "nothing-of-this-name"],
                      ["ops/hunt", "chaos", "--hours", "1"], ["ops/chaos", "--kill", "x"], ["ops/bench", "rounds", "--wrong"], ["ops/tidy", "--wrong"],
                      ["ops/setup", "--where", "nowhere"], ["ops/fuzz", "nothing"], ["ops/simulate", "--sed", "1"], ["unheard-of"],
                      ["build/release/no_test"], ["build/release/job_test", "--gtest_filter=Nothing.*"], ["build/fuzz/fuzz_nothing"],
                      ["cmake", "--preset", "none"], ["cmake", "--build", "--preset", "release", "--target", "none"],
                      ["ctest", "--test-dir", "build/none"], ["tests/domain/run", "no-such-case"], ["eval", "$(ops/stack nev)"],
                      ["BA_CRASH_AT=nowhere:2", "ba-agent", "worker"], ["gdb", "-ex", "break ba::nothing_called_so", "--args", "build/release/job_test"],
                      ["python3", "-c", "import nothing_called_so"]):
            self.assertIsNotNone(self.checks.wrong(words), words)

    def test_foreign_programs_have_a_reason(self):
        for name, reason in FOREIGN.items():
            self.assertGreater(len(reason), 8, name)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]):
        BUILD = sys.argv.pop(1)
    unittest.main()
