# SPDX-License-Identifier: Apache-2.0
"""file_write from the whole program: a file is written once, whatever dies between its writing and its telling."""

import os
import signal

from case import Case
from rig.exactness import Exactness

SCRIPT = r"""
entries:
  - when: {regex: 'report'}
    then:
      - tool_calls: [{name: file_write, args: {path: 'reports/march.md', content: 'March was good.'}}]
      - {text: '{{observation.-1}}'}
"""
JOB = {"tenant": "rig", "job_id": "one", "messages": ["write the report"]}


def installation(lab, place):
    os.makedirs(place)
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    settings = {"agents": {"default": {"permission": "admin"}},
                "tools": {"file_write": {"roots": [{"name": "out", "path": place}]}}}
    return lab.deployment(settings, scripts=[script])


def written_once(lab):
    place = os.path.join(lab.folder, "written")
    report = os.path.join(place, "reports/march.md")
    with installation(lab, place) as deployment:
        worker = deployment.start_worker(crash_at="tool_finished:1")
        deployment.submit([JOB])
        assert worker.wait(60) == -signal.SIGKILL, worker.tail()
        with open(report, encoding="utf-8") as file:
            assert file.read() == "March was good."
        # Whoever takes over runs the call again: what came later stays.
        with open(report, "w", encoding="utf-8") as file:
            file.write("March, corrected.")
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        Exactness(deployment, [JOB]).expect_good()
        with open(report, encoding="utf-8") as file:
            assert file.read() == "March, corrected."
        answer = deployment.database.value("SELECT final_answer FROM rounds")
        assert "Written: reports/march.md" in answer and place not in answer, answer


CASES = [Case("file_write, kill -9 before it is told", written_once)]
