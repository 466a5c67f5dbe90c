# SPDX-License-Identifier: Apache-2.0
"""`ops/bench encodings` on the stack of the tests: every count is there, and tables are shorter in compact."""

import json
import os
import subprocess

from case import Case
from rig.stack import ROOT


def tokenizers_python():
    """Of the set-up's part that only this needs."""
    setup = os.path.join(ROOT, "ops/setup")
    subprocess.run([setup, "--with", "tokens"], check=True, capture_output=True)
    where = subprocess.run([setup, "--where", "tokens"], check=True, capture_output=True, text=True)
    return os.path.join(where.stdout.strip(), "bin/python")


def every_encoding_is_counted(lab):
    ran = subprocess.run([tokenizers_python(), os.path.join(ROOT, "ops/benchmarks/encodings.py")], check=False,
                         capture_output=True, encoding="utf-8",
                         env={**os.environ, "BA_ANALYTICS_URL": lab.stack.analytics_url, "BA_BENCH_DIR": lab.folder})
    assert ran.returncode == 0, ran.stderr
    with open(os.path.join(lab.folder, "encodings.json"), encoding="utf-8") as file:
        results = {result["name"]: result for result in json.load(file)["results"]}
    for name, result in results.items():
        assert f"| {name} | {result['shape']} |" in ran.stdout, name
        for encoding, counts in result["tokens"].items():
            assert set(counts) == {"o200k_base", "cl100k_base"} and min(counts.values()) > 0, (name, encoding, counts)
    routes = {encoding: counts["o200k_base"] for encoding, counts in results["routes, all"]["tokens"].items()}
    assert routes["compact"] < routes["json_line"] < routes["yaml"] < routes["xml"] < routes["json"], routes


CASES = [Case("results are counted in each encoding", every_encoding_is_counted)]
