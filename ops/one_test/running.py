# SPDX-License-Identifier: Apache-2.0
"""Runs chosen tests, one after the other, in the foreground."""

import os
import shlex
import subprocess

from .catalog import SELF_RUNNING
from .cmake_lists import Program
from .servers import stack_environment


def needs_stack(run):
    if isinstance(run.test, str):
        return SELF_RUNNING[run.test]
    return bool(run.test.servers)


class Runner:
    """`build`: where programs are; `debug`: under gdb."""

    def __init__(self, catalog, build, debug=False):
        self._catalog = catalog
        self._build = build
        self._debug = debug

    def run_all(self, runs):
        """How many have failed. Under gdb nobody counts."""
        failed = []
        with stack_environment(self._catalog.root, any(needs_stack(run) for run in runs)) as environment:
            environment = environment | {"BA_BUILD_DIR": self._build.folder}
            for run in runs:
                if not self._run(run, environment):
                    failed.append(run.name)
        if self._debug:
            return 0
        if failed:
            print(f"failed: {' '.join(failed)}")
        print(f"{len(runs) - len(failed)} passed, {len(failed)} failed", flush=True)
        return len(failed)

    def _run(self, run, environment):
        command = self.command(run)
        if isinstance(run.test, Program) and run.only and not self._debug and not self._has_cases(run, environment):
            print(f"{run.name}: no case fits {run.only}", flush=True)
            return False
        if self._debug:
            environment = environment | {"GTEST_BREAK_ON_FAILURE": "1", "GTEST_CATCH_EXCEPTIONS": "0"}
        print("+ " + shlex.join(self._shown(word) for word in command), flush=True)
        return subprocess.run(command, cwd=self._catalog.root, env=environment, check=False).returncode == 0

    def _shown(self, word):
        return word.removeprefix(self._catalog.root + "/")

    def command(self, run):
        if isinstance(run.test, str):
            options = ["--build", self._build.folder] if run.test == "tests/domain" else []
            return [os.path.join(self._catalog.root, run.test, "run"), *options, *run.cases]
        if not isinstance(run.test, Program):
            return [*run.test.command_in(self._build.folder), *run.cases]
        command = [self._build.program(run.name), *([f"--gtest_filter={run.only}"] if run.only else [])]
        if self._debug:
            command = ["gdb", "-q", "-ex", "set breakpoint pending on", "--args", *command]
        if run.test.label == "postgres":
            command = [os.path.join(self._catalog.root, "tests/postgres/run"), "debian", "--command", *command]
        return command

    def _has_cases(self, run, environment):
        told = subprocess.run([self._build.program(run.name), f"--gtest_filter={run.only}", "--gtest_list_tests"],
                              cwd=self._catalog.root, env=environment, capture_output=True, text=True, check=False)
        return told.returncode != 0 or any(line.startswith("  ") for line in told.stdout.splitlines())
