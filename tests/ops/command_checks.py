# SPDX-License-Identifier: Apache-2.0
"""How each command of the documents is checked: run, or read by its own program up to the point where it would
act. A check returns what is wrong, or None."""

import json
import os
import re
import subprocess
import sys
import tempfile

from one_test.catalog import Catalog
from one_test.cases import cases_of

_SECONDS = 300
_USAGE = 2  # the exit code for arguments that a program of ours doesn't understand
_PLACEHOLDERS = {"ID": "artifact_" + "0" * 32, "JOB": "acme/job-1", "T": "acme", "CONVERSATION": "acme/talk-1"}
_GTEST = ("--gtest_filter", "--gtest_repeat", "--gtest_shuffle", "--gtest_break_on_failure", "--gtest_list_tests")
_BREAK = re.compile(r"break (?:\w+::)*(\w+)")
# Programs of others: nothing here knows their options.
FOREIGN = {
    "kafka-acls": "Kafka's; tests/integration/kafka_access_test.py applies the rights of this document",
    "curl": "a person asks a worker that runs", "kill": "a person signals a worker that runs",
    "$promtool": "Prometheus's; tests/ops/dashboards_test.py runs these two",
    "psql": "PostgreSQL's; the stack test connects by the same service", "perf": "of the kernel",
    "sleep": "of the system", "clangd-19": "an editor's", "podman": "an engine for containers",
}


class Checks:
    """Of one tree; `build` has its programs."""

    def __init__(self, root, build):
        self.root, self.build = root, build
        self.catalog = Catalog(root)

    def wrong(self, words):
        """What is wrong with a command, or None."""
        words = list(words)
        while words and (assigned := re.match(r"(\w+)=(.*)", words[0], re.DOTALL)):
            words.pop(0)
            if assigned.group(1) == "BA_CRASH_AT" and not self._mentions("tests/support/crash_points.hpp", assigned.group(2).split(":")[0]):
                return f"there is no crash point {assigned.group(2)}"
            if inner := re.match(r"\$\((.*)\)", assigned.group(2)):
                words = inner.group(1).split()
        if not words:
            return None
        name = words[0].removeprefix("./")
        if name in FOREIGN:
            return None
        check = getattr(self, "_" + re.sub(r"\W", "_", name), None) or self._by_place(name)
        return check(words) if check else f"nobody knows how to check {name!r}: say how in tests/ops/command_checks.py"

    def _by_place(self, name):
        place, _, program = name.rpartition("/")
        if program in ("ba-agent", "ba-agent-crash"):
            return self._agent
        if place.startswith("build/"):
            return self._built
        if place == "ops" and program in ("setup", "stack", "test", "fuzz", "hunt", "demo"):
            return self._script
        if name.startswith("tests/") and name.endswith("/run"):
            return self._self_running
        if "python" in name.lower():
            return self._python
        return self._test_script if name.startswith("tests/") else None

    def _run(self, command, **environment):
        return subprocess.run(command, cwd=self.root, env=os.environ | environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=_SECONDS, check=False)

    def _said(self, done):
        return f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}"

    def _mentions(self, path, word):
        return re.search(rf"\b{re.escape(word)}\b", self.catalog.tree.text(path)) is not None

    # ---- the program: it reads its arguments, and then finds neither configuration nor file

    def _agent(self, words):
        arguments = [_PLACEHOLDERS.get(word, word) for word in words[1:]]
        with tempfile.TemporaryDirectory() as nowhere:
            command = [os.path.join(self.build, "ba-agent"), "--config", os.path.join(nowhere, "none.yaml"), *arguments]
            if "--config" in arguments:
                del command[1:3]
            done = subprocess.run(command, cwd=nowhere, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=_SECONDS, check=False)
        return self._said(done) if done.returncode in (_USAGE, 0) or done.returncode < 0 else None

    # ---- scripts of ops/

    def _script(self, words):
        done = self._run([os.path.join(self.root, words[0]), *words[1:]], BA_ONLY_PARSE="1")
        return self._said(done) if done.returncode else None

    def _only_parse(self, script, arguments, python=None):
        python = python or os.path.join(self._run([os.path.join(self.root, "ops/setup"), "--where", "tests"]).stdout.strip(), "bin/python")
        if not os.path.exists(os.path.join(self.root, script)):
            return f"there is no {script}"
        done = self._run([python, os.path.join(self.root, "tests/ops/only_parse.py"), script, *arguments], PYTHONDONTWRITEBYTECODE="1")
        return self._said(done) if done.returncode else None

    def _ops_tidy(self, words):
        return self._only_parse("ops/tidy", words[1:], sys.executable)

    def _ops_release(self, words):
        return self._only_parse("ops/release", words[1:], sys.executable)

    def _ops_pre_commit(self, words):
        return self._script(words)

    def _ops_bench(self, words):
        return self._only_parse(f"ops/benchmarks/{words[1]}.py", words[2:])

    def _ops_chaos(self, words):
        if words[1] == "matrix":
            return self._only_parse("tests/chaos/matrix.py", words[2:])
        return self._only_parse("tests/chaos/campaign.py", words[1:])

    def _ops_simulate(self, words):
        return self._built(["build/release/ba-simulate", *words[1:]])

    # ---- what is built

    def _built(self, words):
        name = os.path.basename(words[0])
        if name.startswith("fuzz_"):
            targets = self._run([os.path.join(self.root, "ops/fuzz"), "--targets"]).stdout.split()
            return None if name.removeprefix("fuzz_") in targets else f"there is no target {name}"
        if name == "ba-simulate":
            if not os.path.exists(os.path.join(self.build, name)):
                return f"{self.build} has no {name}: build it (cmake --build --preset release)"
            done = self._run([os.path.join(self.build, name), *words[1:]])
            return self._said(done) if done.returncode else None
        if name in self.catalog.programs:
            return self._gtest(self.catalog.programs[name], words[1:])
        return None if name in self.catalog.executables else f"no program {name} is built"

    def _gtest(self, program, options):
        for option in options:
            flag, _, value = option.partition("=")
            if flag not in _GTEST:
                return f"{flag} is no option that is known"
            if flag == "--gtest_filter" and not any(
                    case.is_meant(value) for path in program.sources for case in cases_of(path, self.catalog.tree.text(path))):
                return f"no case of {program.name} fits {value}"
        return None

    def _cmake(self, words):
        with open(os.path.join(self.root, "CMakePresets.json"), encoding="utf-8") as file:
            presets = {preset["name"] for preset in json.load(file)["buildPresets"]}
        asked = [words[at + 1] for at, word in enumerate(words) if word == "--preset"]
        targets = [words[at + 1] for at, word in enumerate(words) if word == "--target"]
        for name in asked:
            if name not in presets:
                return f"there is no preset {name}"
        unknown = [t for t in targets if t not in self.catalog.programs and t not in self.catalog.executables]
        return f"there is no target {unknown[0]}" if unknown else None

    def _ctest(self, words):
        done = self._run(["ctest", "--test-dir", self.build, "-N", *words[3:]])
        return self._said(done) if words[1:3] != ["--test-dir", "build/release"] or done.returncode else None

    def _gdb(self, words):
        for word in words:
            function = _BREAK.match(word)
            if function and not any(re.search(rf"\b{function.group(1)}\b", self.catalog.tree.text(p)) for p in self.catalog.tree.cpp()):
                return f"there is no function {function.group(1)}"
        return self._built(words[words.index("--args") + 1:])

    # ---- tests and Python

    def _self_running(self, words):
        folder = os.path.dirname(words[0])
        known = self.catalog.listed_cases(folder)
        unknown = [word for word in words[1:] if not any(word in case for case in known)]
        return f"{folder} has no case {unknown[0]!r}" if unknown else None

    def _test_script(self, words):
        if words[0] not in self.catalog.paths:
            return f"there is no {words[0]}"
        built = [w for w in words[1:] if w.startswith("build/")]
        unknown = [w for w in built if os.path.basename(w) not in self.catalog.executables]
        return f"no program {unknown[0]} is built" if unknown else None

    def _python(self, words):
        if "-c" in words:
            done = self._run(words)
            return self._said(done) if done.returncode else None
        script = words[1]
        return None if script in self.catalog.paths else f"there is no {script}"

    def _eval(self, words):
        inner = re.fullmatch(r"\$\((.*)\)", words[1])
        return self.wrong(inner.group(1).split()) if inner else f"what is evaluated? {words[1]}"
