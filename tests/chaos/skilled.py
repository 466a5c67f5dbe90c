# SPDX-License-Identifier: Apache-2.0
"""What was done under a skill, compared with what the ledger says of its calls: a file that was written is there whole,
one whose writing failed isn't, a command that succeeded said its word, and a tool that the skill doesn't allow was
refused. Each activation brought its messages once, with the word of its own job."""

import json
import os

_CALLS = """
SELECT t.job, t.round, t.tool_name, t.state, t.parameters, t.message, t.error_code, j.outcome
FROM tool_calls t JOIN jobs j ON j.id = t.job
WHERE NOT t.copied AND (t.tool_name IN ('file_write', 'execute_command')
  OR t.tool_name = 'database_write' AND t.parameters LIKE '%skilled-%')"""
# Calls that were refused while no skill of their round was active: its end ends all, in the origin of a fork, too.
_REFUSED_BY_NONE = """
SELECT t.job, t.round, t.tool_name FROM tool_calls t
WHERE t.error_code = 'TOOL_NOT_ALLOWED' AND NOT EXISTS (
  SELECT FROM skill_uses u
  WHERE u.job = t.job AND u.round = t.round AND u.depth > 0 AND u.step < t.step AND coalesce(u.done_step >= t.step, true))"""
# An activation and what it brought, and how often the same step brought something.
_ACTIVATIONS = """
SELECT u.job, u.round, u.step, t.parameters, t.copied, count(m.*) AS messages, string_agg(m.message::text, ' ') AS texts
FROM skill_uses u JOIN tool_calls t ON (t.job, t.round, t.step, t.idx) = (u.job, u.round, u.step, u.idx)
  LEFT JOIN injected_messages m ON (m.job, m.round, m.step) = (u.job, u.round, u.step)
WHERE u.depth > 0 GROUP BY u.job, u.round, u.step, t.parameters, t.copied"""
_MESSAGES = 2  # the hidden one with the instructions, and the visible one


class Skilled:
    """Of an installation at rest. `counts` of what was done; `unknown` calls."""

    def __init__(self, installation):
        self.violations = []
        self.unknown = 0
        self.counts = {"files": 0, "commands": 0, "refused": 0, "activations": 0}
        self._files = installation.files
        self._left = {name for name in os.listdir(installation.files) if not name.startswith(".")}
        for call in installation.database.rows(_CALLS):
            arguments = json.loads(call["parameters"])
            self.unknown += call["state"] == "unknown"
            {"file_write": self._check_file, "execute_command": self._check_command,
             "database_write": self._check_refused}[call["tool_name"]](call, arguments)
        self.violations += [f"no call wrote the file {name}" for name in self._left]
        self.violations += [f"{row['tool_name']} of job {row['job']}, round {row['round']} was refused though no skill is"
                            " active" for row in installation.database.rows(_REFUSED_BY_NONE)]
        for row in installation.database.rows(_ACTIVATIONS):
            self._check_activation(row)

    def _check_file(self, call, arguments):
        name = arguments["path"]
        there = name in self._left
        self._left.discard(name)
        text = None
        if there:
            with open(os.path.join(self._files, name), encoding="utf-8") as file:
                text = file.read()
        self.counts["files"] += there
        right = {"succeeded": (arguments["content"],), "failed": (None,)}.get(call["state"], (None, arguments["content"]))
        if text not in right:
            self.violations.append(f"the file {name} of job {call['job']} {call['state']}, and is {text!r}")

    def _check_command(self, call, arguments):
        said = arguments["command"].removeprefix("echo ")
        self.counts["commands"] += call["state"] == "succeeded"
        if call["state"] == "succeeded" and said not in json.dumps(call["message"]):
            self.violations.append(f"a command of job {call['job']} succeeded, and its answer is {call['message']}")

    def _check_refused(self, call, _):
        self.counts["refused"] += call["error_code"] == "TOOL_NOT_ALLOWED"
        right = [("failed", "TOOL_NOT_ALLOWED"), ("unknown", "TOOL_NOT_ALLOWED")]  # unknown: begun, then a crash
        if call["outcome"] != "completed":  # its end left nothing open
            right += [("failed", "NOT_RUN"), ("unknown", None)]
        if (call["state"], call["error_code"]) not in right:
            self.violations.append(f"a call of job {call['job']} that its skill forbids {call['state']}:"
                                   f" {call['error_code']}")

    def _check_activation(self, row):
        self.counts["activations"] += not row["copied"]
        word = json.loads(row["parameters"])["parameters"]["word"]
        if row["messages"] != _MESSAGES or word not in row["texts"]:
            self.violations.append(f"the skill of job {row['job']}, round {row['round']} brought {row['messages']}"
                                   f" messages: {row['texts']}")
