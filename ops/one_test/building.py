# SPDX-License-Identifier: Apache-2.0
"""Builds what chosen tests need, in the folder of a preset, and nothing else."""

import os
import re
import subprocess
import sys

from .catalog import SELF_RUNNING

# Where the programs that a folder of scripts runs are named.
_ALSO_READ = "ops/rig/"


class Build:
    """`preset`: of CMakePresets.json."""

    def __init__(self, catalog, preset, jobs):
        self.catalog = catalog
        self.preset = preset
        self.folder = os.path.join(catalog.root, "build", preset)
        self._jobs = jobs

    def program(self, name):
        return os.path.join(self.folder, name)

    def targets(self, runs):
        """In order, each once."""
        wanted = []
        for run in runs:
            if isinstance(run.test, str):
                wanted += self._named_in(run.test)
            else:
                wanted += [*([run.name] if run.name in self.catalog.programs else []), *run.test.needs]
        return list(dict.fromkeys(wanted))

    def _named_in(self, folder):
        """The built programs that the scripts of a folder name."""
        starts = (folder + "/", _ALSO_READ)
        text = "\n".join(self.catalog.tree.text(p) for p in self.catalog.tree.paths
                         if p.startswith(starts) and (p.endswith(".py") or p in (f"{f}/run" for f in SELF_RUNNING)))
        return sorted(name for name in self.catalog.executables if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text))

    def make(self, runs):
        targets = self.targets(runs)
        if not targets:
            return
        if not os.path.exists(os.path.join(self.folder, "build.ninja")):
            self._call([os.path.join(self.catalog.root, "ops/setup")])
            self._call(["cmake", "--preset", self.preset])
        print(f"builds {' '.join(targets)} (build/{self.preset})", flush=True)
        self._call(["cmake", "--build", "--preset", self.preset, "-j", str(self._jobs), "--target", *targets])

    def _call(self, command):
        if subprocess.run(command, cwd=self.catalog.root, check=False).returncode:
            sys.exit(f"test: the build failed: {' '.join(command)}")
