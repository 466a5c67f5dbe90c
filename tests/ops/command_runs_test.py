#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""The commands of the documents that need no server are run in a folder of their own. They print the output that
the documents show. command_lines_test.py has all commands read; tests/integration runs those with servers."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
AGENT = os.path.join(ROOT, "build/release/ba-agent")
sys.path[:0] = [os.path.join(ROOT, "ops"), HERE]
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import command_blocks
from one_test.catalog import Catalog

QUESTION = "How many flights left JFK in March?"
ROWS = [{"carrier": "UA", "n": 58665}, {"carrier": "B6", "n": 54635}, {"carrier": "EV", "n": 54173}]
# As config/READING.md and docs/internals/tools.md show it.
TABLE = "[3]{carrier,n}:\n  UA,58665\n  B6,54635\n  EV,54173\n"
ANTHROPIC = {"system": "Be brief.", "messages": [{"role": "user", "content": QUESTION},
                                                 {"role": "assistant", "content": [{"type": "text", "text": "9,697."}]}]}
LANGCHAIN = [{"type": "human", "data": {"content": QUESTION, "type": "human"}},
             {"type": "ai", "data": {"content": "9,697.", "type": "ai"}}]
VALID = "configuration is valid"
# Each command, the file that it reads, and a part of its output.
RUNS = {
    "config check": (None, VALID),
    "convert": (ANTHROPIC, '"type":"human"'),
    "encode": (ROWS, TABLE),
    "history compress": (LANGCHAIN, QUESTION),
    "mcp list": (None, "mcp.servers"),
    "skill list": (None, "skills.roots"),
    "tokens count": (QUESTION, "8  x.md"),
    "tool explain": (None, "it asks for the time: now()"),
    "tool list": (None, "query_database"),
}
ASKS_SERVERS = {"doctor": "asks every server; tests/integration/commands_test.py"}
SETTINGS = {"BA_KAFKA_BROKERS": "localhost:1", "BA_POSTGRES_URL": "postgresql://ba@localhost:1/ba", "ANTHROPIC_API_KEY": "none",
            "BA_ANALYTICS_URL": "postgresql://reader@localhost:1/flights"}
YAML = re.compile(r"^```yaml\n(kafka:.*?)^```", re.MULTILINE | re.DOTALL)
FAILURE = re.compile(r"`(worker\.lease_ms: [^`]*)`")


class CommandRunsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = Catalog(ROOT).tree
        cls.helps = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_agent(self, *arguments, settings=None):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder, **(SETTINGS if settings is None else settings)}
        return subprocess.run([AGENT, *arguments], cwd=self.folder, env=environment, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=60, check=False)

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(path, 0o600)
        return path

    def help_of(self, *names):
        if names not in self.helps:
            self.helps[names] = self.run_agent(*names, "--help").stdout
        return self.helps[names]

    def command_of(self, words):
        """Name and help of a line's command: of "tool explain", if "tool" is a group."""
        group = "\nSubcommands:\n" in self.help_of(words[1])
        names = words[1:3] if group else words[1:2]
        return " ".join(names), self.help_of(*names)

    def lines(self):
        """(document, line, words) of each command of the program."""
        for path in command_blocks.documents(self.tree):
            for line, words in command_blocks.commands(self.tree.text(path)):
                if os.path.basename(words[0]) == "ba-agent":
                    yield path, line, words

    def test_commands_without_servers_do_as_the_documents_say(self):
        seen = set()
        self.write("new.yaml", "{}\n")
        for path, line, words in self.lines():
            name, about = self.command_of(words)
            if name in ASKS_SERVERS or "\nNeeds " in about:
                continue
            with self.subTest(document=path, line=line):
                self.assertTrue(name in RUNS, f"{name} is new here: say in RUNS which file it reads, and a part of its output")
                given, said = RUNS[name]
                for file in ("x.json", "x.md"):
                    self.write(file, given if isinstance(given, str) else json.dumps(given))
                done = self.run_agent(*words[1:])
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertIn(said, done.stdout + done.stderr)
                seen.add(name)
        self.assertEqual(set(RUNS), seen, "no document has these any more")

    def test_the_documents_show_the_table_that_is_printed(self):
        for path in ("config/READING.md", "docs/internals/tools.md"):
            shown = re.sub(r"^    ", "", self.tree.text(path), flags=re.MULTILINE)
            self.assertIn(TABLE, shown, path)

    def test_the_configurations_are_valid(self):
        for path in ("README.md", "docs/using.md"):
            shown = YAML.search(self.tree.text(path)).group(1)
            for name in set(re.findall(r"/run/secrets/(\w+)", shown)):
                self.write(f"run/secrets/{name}", SETTINGS["BA_POSTGRES_URL"] if name.endswith("_url") else "none")
            os.makedirs(os.path.join(self.folder, "etc/ba-agent/skills"), exist_ok=True)
            placed = re.sub(r"/(run/secrets|etc/ba-agent)/", rf"{self.folder}/\1/", shown)
            done = self.run_agent("config", "check", "--config", self.write("shown.yaml", placed), settings={})
            self.assertEqual((0, ""), (done.returncode, done.stderr), path)
            self.assertIn(VALID, done.stdout)

    def test_the_example_of_an_error_is_what_is_said(self):
        shown = " ".join(FAILURE.search(self.tree.text("CONTRIBUTING.md")).group(1).split())
        done = self.run_agent("config", "check", "--set", "worker.lease_ms=0")
        self.assertEqual(78, done.returncode)
        self.assertIn(shown, done.stdout + done.stderr)

    def test_the_table_of_tools_is_that_of_the_program(self):
        listed = json.loads(self.run_agent("tool", "list", "--json").stdout)
        rows = re.findall(r"^\| `([a-z_]+)` \| [^|]* \| (\w+) \| [^|]* \| `(\w+)` \|$", self.tree.text("docs/tools.md"), re.MULTILINE)
        self.assertEqual(sorted((tool["name"], tool["effect"], tool["permission"]) for tool in listed), sorted(rows))


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]):
        AGENT = os.path.realpath(sys.argv.pop(1))
    unittest.main()
