# SPDX-License-Identifier: Apache-2.0
"""Skills: a worker that is killed between an activation and the next step injects once, and goes on with the skill as
it was, also where the directory has another one by then. And `skill check` agrees with the format's own validator."""

import functools
import json
import os
import pathlib
import subprocess
import sys

from case import LARGE, Case

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent / "worker/tools/skills/data"
SIGKILLED = -9

SCRIPT = """
entries:
  - when: {regex: '^use the skill'}
    then:
      - tool_calls: [{name: activate_skill, args: {skill_name: counting}}]
  - when: {regex: "Skill 'counting' is active"}
    then:
      - tool_calls: [{name: activate_skill, args: {skill_name: counting, load_level: 3, resource: note.md}}]
  - when: {regex: '<skill_resource name="counting" file="note.md">\\s*(\\w+)'}
    then:
      - tool_calls: [{name: query_database, args: {sql: "SELECT count(*) FROM flights WHERE month = 1"}}]
      - require: ["{{observation.-1 | regex 'Error Type: permission_denied'}}"]
        text: 'the note is {{match.1}}'
"""


def write_skill(folder, note):
    skill = pathlib.Path(folder, "skills", "counting")
    skill.mkdir(parents=True, exist_ok=True)
    (skill / "SKILL.md").write_text(
        "---\nname: counting\ndescription: Counts.\nallowed-tools: file_reader\n---\nCount them all.\n", encoding="utf-8")
    (skill / "note.md").write_text(note + "\n", encoding="utf-8")
    return str(skill.parent)


def installation(lab):
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    source = {"name": "analytics", "url": lab.stack.analytics_url, "tables": "flights(month)"}
    settings = {"skills": {"roots": [write_skill(lab.folder, "first")]}, "tools": {"data_sources": [source]}}
    return lab.deployment(settings, scripts=[script])


def killed_at(point, nth, lab):
    with installation(lab) as deployment:
        worker = deployment.start_worker(crash_at=f"{point}:{nth}")
        deployment.submit([{"tenant": "rig", "job_id": "a", "messages": ["use the skill"]}])
        code = worker.wait(60)
        assert code == SIGKILLED, f"exit code {code}, not killed at {point}: {worker.tail()}"
        rows = deployment.database.value("SELECT count(*) AS n FROM skill_uses")
        write_skill(lab.folder, "second")
        deployment.start_worker()
        deployment.wait_for_results(1, 60)
        answer = deployment.database.value("SELECT final_answer FROM rounds")
        assert answer == ("the note is first" if rows else "the note is second"), (rows, answer)
        uses = deployment.database.rows("SELECT skill, depth, length(hash) AS digits FROM skill_uses ORDER BY step")
        assert [use["depth"] for use in uses] == [1, 0] and uses[0]["digits"] == 64, uses
        injected = deployment.database.rows("SELECT step, idx, message FROM injected_messages ORDER BY step, idx")
        # Instructions and a word to the model after the first step; the file after the second.
        assert [(row["step"], row["idx"]) for row in injected] == [(1, 2), (1, 3), (2, 2)], injected
        report = json.loads(deployment.database.value("SELECT report::text FROM metrics"))
        assert report["skill_activations"] == 1 and report["unique_skills"] == ["counting"], report


def agrees_with_the_reference(lab):
    """Every case of the corpus has the verdict of skills-ref, there and here."""
    program = ("import pathlib, sys\nfrom skills_ref.validator import validate\n"
               "for folder in sorted(p for p in pathlib.Path(sys.argv[1]).iterdir() if p.is_dir()):\n"
               "    print('invalid' if validate(folder) else 'valid', folder.name)\n")
    # What a skill's own encoding is must not depend on the terminal's.
    reference = subprocess.run([sys.executable, "-I", "-X", "utf8", "-c", program, str(CORPUS)],
                               capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    recorded = (CORPUS / "verdicts.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(reference) == sorted(recorded), set(reference) ^ set(recorded)
    with installation(lab) as deployment:
        folders = [str(CORPUS / line.split(" ", 1)[1]) for line in recorded]
        answer = json.loads(deployment.run("skill", "check", "--json", *folders, code=1))
        verdicts = [("valid " if skill["valid"] else "invalid ") + os.path.basename(skill["directory"])
                    for skill in answer["skills"]]
        assert verdicts == recorded, set(verdicts) ^ set(recorded)


POINTS = (("step_committed", 1), ("step_committed", 2), ("step_committed", 3), ("tool_finished", 1), ("tool_finished", 2),
          ("reply_committed", 2))

CASES = [
    Case("skill check agrees with the format's own validator", agrees_with_the_reference),
    *(Case(f"kill -9 around an activation, at {point}, time {nth}", functools.partial(killed_at, point, nth))
      for point, nth in (POINTS if LARGE else POINTS[1:4])),
]
