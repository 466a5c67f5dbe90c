# SPDX-License-Identifier: Apache-2.0
"""The small programs of `ops/bench`, with so little to do that their figures mean nothing: each checks exactness, ends well,
and its JSON has all figures that the catalog of `ops/bench all` looks for."""

import json
import math
import os
import subprocess
import sys

from benchmarks.catalog import BENCHMARKS
from case import Case
from rig.stack import ROOT

LITTLE = {
    "stored": ("--rounds", "4", "--conversations", "1"),
    "conversations": ("--count", "20", "--delay-ms", "300", "--seconds", "2", "--job-rounds", "2"),
    "history": ("--conversations", "1", "--places", "12", "32"),
    "results": ("--per-second", "200", "--seconds", "1", "--backlog", "500"),
    "start": ("--repeat", "1"),
    "recovery": ("--repeat", "1"),
}


def ends_well(name):
    def run(lab):
        (benchmark,) = (one for one in BENCHMARKS if one.name == name)
        ran = subprocess.run([sys.executable, os.path.join(ROOT, "ops/benchmarks", benchmark.file), *LITTLE[name]], check=False,
                             capture_output=True, encoding="utf-8", env={**os.environ, "BA_BENCH_DIR": lab.folder})
        assert ran.returncode == 0, ran.stderr
        with open(os.path.join(lab.folder, f"{name}.json"), encoding="utf-8") as file:
            data = json.load(file)
        for figure in benchmark.figures:
            assert math.isfinite(figure.value(data)), (figure.title, data)
            figure.against(data)
        with open(os.path.join(lab.folder, f"{name}.md"), encoding="utf-8") as file:
            assert file.read().startswith("# "), ran.stdout
    return run


CASES = [Case(f"ops/bench {name} has the figures of the catalog", ends_well(name), secure=False,
              why="what is measured is a plain stack") for name in LITTLE]
