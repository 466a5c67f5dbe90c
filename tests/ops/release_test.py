#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""ops/release makes a version of a tree that is ready, and of no other."""

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.path.join(ROOT, "build/release")
sys.path.insert(0, os.path.join(ROOT, "ops"))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from release_checks import documents

PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
CHANGES = "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-27\n\n- New.\n\n# not a comment\n\n## [1.1.0] - 2026-01-02\n\n- Old.\n"
LEVELS = ("tidy", "quick")


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)
        self.root = os.path.join(os.path.realpath(self.folder.name), "tree")
        self.write(".gitignore", "build\n")
        self.write("CMakeLists.txt", "project(ba-agent VERSION 1.2.0 LANGUAGES CXX)\n")
        self.write("CHANGELOG.md", CHANGES)
        self.stand_in("ops/tidy", "exit 0")
        self.stand_in("ops/test", "exit 0", f"readonly kLevels=({' '.join(LEVELS)})\n")
        self.git("init", "-q", "-b", "main")
        self.commit()

    def write(self, path, text):
        place = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)

    def stand_in(self, path, body, before=""):
        self.write(path, f"#!/bin/bash\n{before}mkdir -p build; echo {path} $* >>build/calls\n{body}\n")
        os.chmod(os.path.join(self.root, path), 0o755)

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.root, env=PLAIN, capture_output=True, text=True, check=True).stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def release(self, *words):
        return subprocess.run([os.path.join(ROOT, "ops/release"), "--root", self.root, *words], env=PLAIN,
                              capture_output=True, text=True, check=False)

    def calls(self):
        try:
            with open(os.path.join(self.root, "build/calls"), encoding="utf-8") as file:
                return file.read().split("\n")[:-1]
        except FileNotFoundError:
            return []

    def expect_refused(self, *texts, words=("--dry-run",)):
        done = self.release(*words)
        self.assertEqual(done.returncode, 1, done.stdout)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertEqual(self.git("tag", "--list", "v1.2.0"), "")

    def test_a_version_is_a_tag_with_its_changes_and_the_source(self):
        done = self.release()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), ["ops/tidy --no-sizes", "ops/test"])
        self.assertEqual(self.git("rev-parse", "v1.2.0^{commit}"), self.git("rev-parse", "HEAD"))
        self.assertEqual(self.git("tag", "--list", "--format=%(contents)", "v1.2.0"), "ba-agent 1.2.0\n\n- New.\n\n# not a comment")
        dist = os.path.join(self.root, "build/dist")
        with open(os.path.join(dist, "ba-agent-1.2.0.tar.gz"), "rb") as file:
            data = file.read()
        with open(os.path.join(dist, "SHA256SUMS"), encoding="utf-8") as file:
            self.assertEqual(file.read(), f"{hashlib.sha256(data).hexdigest()}  ba-agent-1.2.0.tar.gz\n")
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))) as archive:
            self.assertIn("ba-agent-1.2.0/CHANGELOG.md", archive.getnames())
            self.assertFalse([name for name in archive.getnames() if "/build" in name or "/.git/" in name])

    def test_another_checkout_makes_the_same_bytes(self):
        self.assertEqual(self.release().returncode, 0)
        twin = os.path.join(os.path.realpath(self.folder.name), "twin")
        self.git("clone", "-q", self.root, twin)
        subprocess.run(["git", "tag", "-d", "v1.2.0"], cwd=twin, env=PLAIN, check=True, capture_output=True)
        for path in (".gitignore", "CHANGELOG.md"):
            os.utime(os.path.join(twin, path), (1, 1))
        done = subprocess.run([os.path.join(ROOT, "ops/release"), "--root", twin], env=PLAIN, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        contents = []
        for place in (self.root, twin):
            with open(os.path.join(place, "build/dist/ba-agent-1.2.0.tar.gz"), "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])

    def test_a_dry_run_makes_and_runs_nothing(self):
        done = self.release("--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1.2.0 can be released from", done.stdout)
        self.assertEqual((self.calls(), self.git("tag")), ([], ""))
        self.assertFalse(os.path.exists(os.path.join(self.root, "build/dist")))

    def test_a_tree_that_is_not_clean_or_elsewhere(self):
        self.write("new.txt", "")
        self.expect_refused("the tree isn't clean: new.txt")
        self.commit()
        self.git("switch", "-q", "-c", "side")
        self.expect_refused("this is branch side, and versions are made on main")
        self.assertEqual(self.release("--dry-run", "--branch", "side").returncode, 0)

    def test_versions_go_up(self):
        self.git("tag", "v1.10.0")
        self.expect_refused("1.2.0 is older than v1.10.0")
        self.git("tag", "-d", "v1.10.0")
        self.git("tag", "v1.1.9")
        self.assertEqual(self.release("--dry-run").returncode, 0)
        self.assertEqual(self.release().returncode, 0)
        self.assertIn("v1.2.0 was released already", self.release("--dry-run").stderr)

    def test_the_version_is_three_numbers(self):
        for text, said in (("project(other)", "has no project(ba-agent VERSION"), ("project(ba-agent VERSION 1.2 LANGUAGES CXX)", "three numbers")):
            self.write("CMakeLists.txt", text + "\n")
            self.commit()
            self.expect_refused(said)

    def test_the_changelog_has_the_version_on_top(self):
        for old, new, said in (
                ("## [1.2.0] - 2026-11-27", "## [1.3.0] - 2026-11-27", "has no section [1.2.0]"),
                ("## [Unreleased]\n", "## [Unreleased]\n\n- Left.\n", "[Unreleased] of CHANGELOG.md isn't empty"),
                ("## [Unreleased]\n", "", "begins with no section [Unreleased]"),
                ("2026-11-27", "2026-13-27", "the date of [1.2.0] in CHANGELOG.md is '2026-13-27'"),
                ("## [1.2.0] - 2026-11-27", "## [1.2.0]", "the date of [1.2.0] in CHANGELOG.md is None"),
                ("- New.\n\n# not a comment\n", "", "the section [1.2.0] of CHANGELOG.md is empty"),
                ("[1.1.0]", "[1.4.0]", "the newest comes first, and that is 1.2.0")):
            self.write("CHANGELOG.md", CHANGES.replace(old, new))
            self.commit()
            self.expect_refused(said)

    def test_what_fails_makes_nothing(self):
        for path in ("ops/tidy", "ops/test"):
            self.stand_in(path, "exit 1", f"readonly kLevels=({' '.join(LEVELS)})\n")
            self.commit()
            self.expect_refused(f"{path} failed; nothing was made", words=())
            self.stand_in(path, "exit 0", f"readonly kLevels=({' '.join(LEVELS)})\n")
        self.stand_in("ops/test", "touch left.txt", f"readonly kLevels=({' '.join(LEVELS)})\n")
        self.commit()
        self.expect_refused("the tree has changed meanwhile", words=())

    def proof(self, text):
        self.write("build/proof.txt", text)
        return os.path.join(self.root, "build/proof.txt")

    def test_a_proof_takes_the_place_of_the_tests(self):
        commit = self.git("rev-parse", "HEAD")
        good = f"commit {commit}\nclean yes\nsize small\nlevel tidy 11 passed 0 failed\nlevel quick 90 passed 0 failed\n"
        for text, said in ((good.replace(commit, "0" * 40), "the proof is of 0000"), (good.replace("clean yes", "clean no"), "with changes that no commit has"),
                           (good.replace("level quick 90 passed 0 failed\n", ""), "lacks the levels quick"),
                           (good.replace("90 passed 0", "90 passed 1"), "of quick: 90 passed, 1 failed"), ("", "the proof is of None")):
            self.expect_refused(said, words=("--proof", self.proof(text)))
        self.expect_refused("there is no proof", words=("--proof", os.path.join(self.root, "build/none")))
        self.assertEqual(self.calls(), [])
        done = self.release("--proof", self.proof(good))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), ["ops/tidy --no-sizes"])

    def test_the_program_tells_the_version_of_the_build(self):
        told = subprocess.run([os.path.join(BUILD, "ba-agent"), "--version"], capture_output=True, text=True, check=True).stdout
        self.assertTrue(told.startswith(f"ba-agent {documents.version_of(ROOT)[0]} ("), told)

    def test_this_trees_own_documents_can_be_read(self):
        version, problems = documents.version_of(ROOT)
        self.assertEqual(problems, [])
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
            self.assertEqual(documents.sections(file.read())[0][0], "Unreleased")


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]):
        BUILD = sys.argv.pop(1)
    unittest.main()
