# SPDX-License-Identifier: Apache-2.0
"""The scripted model, and its journal of the calls that a provider would have billed."""

import collections
import json
import re

from .processes import Process
from .stack import program
from .waiting import wait_until

_URL = re.compile(r"^http://\S+", re.MULTILINE)


class ScriptedModel:
    def __init__(self, folder, delay_ms=0, steps=1, scripts=()):
        self.journal = f"{folder}/model-journal.jsonl"
        command = [program("ba-scripted-model"), "--port", "0", "--journal", self.journal,
                   "--delay-ms", str(delay_ms), "--bench-steps", str(steps)]
        for script in scripts:
            command += ["--script", script]
        self.process = Process("ba-scripted-model", command, f"{folder}/model.log")
        self.url = wait_until(self._printed_url, 20, self.process.tail)

    def _printed_url(self):
        with open(self.process.log, encoding="utf-8") as file:
            found = _URL.search(file.read())
        return found and found.group()

    def paid_calls(self):
        """How many calls were accepted for each question."""
        with open(self.journal, encoding="utf-8") as file:
            return collections.Counter(json.loads(line)["question"] for line in file)
