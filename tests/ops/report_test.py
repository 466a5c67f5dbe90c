#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Whether the demo's report notices what went wrong (ops/demo.d/report.py)."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

REPORT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../ops/demo.d/report.py")
JOB = {"job_id": "demo-1", "messages": ["How many?"], "metadata": {"title": "Counting"}}
RESULT = {"job_id": "demo-1", "outcome": "completed", "answers": [{"text": "There are 336,776."}],
          "rounds": 1, "steps": 2, "tool_calls": 1, "started_at": "2026-01-01T00:00:00Z",
          "finished_at": "2026-01-01T00:00:01.5Z", "model": "scripted"}


def report(results, mode="exact", truth="336776"):
    """Exit code and output."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "jobs.jsonl").write_text(json.dumps(JOB) + "\n")
        (folder / "results.jsonl").write_text("".join(json.dumps(each) + "\n" for each in results))
        (folder / "truths.tsv").write_text(f"demo-1\t0\t{truth}\n")
        run = subprocess.run([sys.executable, "-I", REPORT, name, mode], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr


class Report(unittest.TestCase):
    def expect(self, code, said, *arguments, **options):
        found, output = report(*arguments, **options)
        self.assertEqual(found, code, output)
        self.assertIn(said, output)

    def test_a_right_answer(self):
        self.expect(0, "1 round · 2 steps · 1 tool call · 0 tokens", [RESULT])

    def test_a_wrong_answer(self):
        self.expect(1, "the database says '336777', the answer does not", [RESULT], truth="336777")

    def test_any_answer_of_a_provider(self):
        self.expect(0, "all completed", [RESULT], mode="completed", truth="336777")

    def test_a_lost_result(self):
        self.expect(1, "no result on the topic", [])

    def test_a_doubled_result(self):
        self.expect(1, "2 results on the topic", [RESULT, RESULT])

    def test_a_job_that_failed(self):
        failed = RESULT | {"outcome": "model_error", "answers": [], "error": {"code": "X", "message": "down"}}
        for mode in ("exact", "completed"):
            self.expect(1, "model_error: X: down", [failed], mode=mode)


if __name__ == "__main__":
    unittest.main()
