#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""ops/pre-commit looks at what is staged, stops what is wrong, and leaves other hooks alone."""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


class PreCommitTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)
        self.root = os.path.join(self.folder.name, "tree")
        os.makedirs(os.path.join(self.root, "ops/lib"))
        for name in ("ops/pre-commit", "ops/lib/console.sh", "ops/tidy", ".clang-format"):
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.root, name))
        shutil.copytree(os.path.join(ROOT, "ops/tidy_checks"), os.path.join(self.root, "ops/tidy_checks"))
        self.write("ops/README.md", "# ops\n")
        self.write("ops/lib/README.md", "# lib\n")
        self.write("ops/a/README.md", "# a\n")
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")

    def write(self, path, text):
        place = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)

    def run_in(self, *command):
        return subprocess.run(command, cwd=self.root, env=PLAIN, capture_output=True, text=True, check=False)

    def git(self, *words):
        return self.run_in("git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words)

    def hook(self, *words):
        return self.run_in("ops/pre-commit", *words)

    def commits(self):
        return int(self.git("rev-list", "--count", "HEAD").stdout)

    def test_what_is_right_is_committed_and_what_is_wrong_is_not(self):
        self.assertEqual(self.hook("--install").returncode, 0)
        self.write("ops/a/a.cpp", SPDX + "int x;\n")
        self.git("add", "-A")
        done = self.git("commit", "-q", "-m", "good")
        self.assertEqual((done.returncode, self.commits()), (0, 2), done.stdout + done.stderr)
        self.write("ops/a/a.cpp", SPDX + "int  x;\n")
        self.git("add", "-A")
        done = self.git("commit", "-q", "-m", "bad")
        self.assertEqual((done.returncode, self.commits()), (1, 2))
        self.assertIn("ops/a/a.cpp:2: not as clang-format-14 would have it", done.stdout + done.stderr)
        self.assertIn("nothing was committed", done.stderr)

    def test_what_is_not_staged_does_not_matter(self):
        self.write("ops/a/a.cpp", SPDX + "int x;\n")
        self.git("add", "-A")
        self.write("ops/a/a.cpp", "int  x;\n")
        self.write("ops/a/b.cpp", "no licence\n")
        done = self.hook()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_format_is_looked_at_in_changed_files_only(self):
        self.write("ops/a/old.cpp", SPDX + "int  x;\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "before there was a hook")
        self.write("ops/a/new.cpp", SPDX + "int x;\n")
        self.git("add", "-A")
        self.assertEqual(self.hook().returncode, 0)

    def test_another_hook_stays(self):
        self.write(".git/hooks/pre-commit", "#!/bin/sh\n")
        done = self.hook("--install")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is another hook", done.stderr)
        self.assertEqual(self.hook("--remove").returncode, 1)

    def test_it_is_installed_once_and_removed(self):
        for _ in range(2):
            self.assertEqual(self.hook("--install").returncode, 0)
        self.assertTrue(os.path.islink(os.path.join(self.root, ".git/hooks/pre-commit")))
        done = self.hook("--remove")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.lexists(os.path.join(self.root, ".git/hooks/pre-commit")))
        self.assertEqual(self.hook("--wrong").returncode, 2)


if __name__ == "__main__":
    unittest.main()
