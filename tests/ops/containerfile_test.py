#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""The Containerfile runs the project's own set-up, on the system that it is for, from files that are there."""

import json
import os
import re
import shlex
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
KNOWN = {"FROM", "ENV", "RUN", "WORKDIR", "COPY", "CMD"}
DEBUGGERS = {"gdb", "clang-tidy-19", "clangd-19", "linux-perf"}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def instructions(text):
    """(NAME, the rest) of each; a backslash at the end goes on in the next line."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


class ContainerfileTest(unittest.TestCase):
    def setUp(self):
        self.steps = instructions(read("Containerfile"))

    def of(self, name):
        return [rest for step, rest in self.steps if step == name]

    def test_instructions_are_known_and_begin_with_the_system(self):
        self.assertEqual({step for step, _ in self.steps} - KNOWN, set())
        self.assertEqual(self.steps[0], ("FROM", "docker.io/library/debian:12"))
        self.assertIn("$id == debian && $version == 12", read("ops/setup"))
        self.assertIsInstance(json.loads(self.of("CMD")[0]), list)

    def test_what_is_copied_is_there_and_is_no_more_than_the_context(self):
        context = {line[1:] for line in read(".containerignore").splitlines() if line.startswith("!")}
        for rest in self.of("COPY"):
            *sources, _ = rest.split()
            for source in sources:
                self.assertTrue(os.path.exists(os.path.join(ROOT, source)), source)
                self.assertIn(source, context)

    def test_each_command_is_one_that_runs_there(self):
        own = [words for words in map(shlex.split, self.of("RUN")) if words[0] != "apt-get"]
        self.assertIn(["ops/setup"], own)
        for words in own:
            self.assertTrue(os.access(os.path.join(ROOT, words[0]), os.X_OK), words)
            done = subprocess.run([os.path.join(ROOT, words[0]), *words[1:]], env=os.environ | {"BA_ONLY_PARSE": "1"},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")

    def test_the_set_up_reads_nothing_beside_what_is_copied(self):
        """Its scripts name files below ops/, as $OPS."""
        for name in ("setup", "lib/packages.sh", "lib/downloads.sh", "lib/cache.sh"):
            self.assertNotRegex(read("ops", name), r"\$(\{)?ROOT|\$OPS/\.\.", name)

    def test_packages_are_those_of_the_set_up_or_debuggers(self):
        wanted = {line.split()[0] for line in read("ops/packages.txt").splitlines() if line and not line.startswith("#")}
        installs = [words[2:] for words in map(shlex.split, self.of("RUN")) if words[:2] == ["apt-get", "install"]]
        asked = {word for words in installs for word in words if not word.startswith("-")}
        self.assertEqual(asked - wanted - {"sudo"}, DEBUGGERS)
        told = read("docs/development.md")
        for package in DEBUGGERS:
            self.assertTrue(f"`{package}`" in told, f"docs/development.md doesn't say what {package} is for")


if __name__ == "__main__":
    unittest.main()
