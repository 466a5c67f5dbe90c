# SPDX-License-Identifier: Apache-2.0
"""A deployment whose workers reach Kafka, PostgreSQL and the model through proxies only, with jobs that
call tools whose effects are counted."""

import os
import sys

from rig.database import psql
from rig.deployment import Deployment, merge
from rig.proxy import Proxy
from rig.stack import ROOT

# Short, so that much happens in little time. A machine that is busy with other things needs a longer one.
LEASE_SECONDS = int(os.environ.get("BA_CHAOS_LEASE_SECONDS", "2"))
ATTEMPTS_MAX = 100  # a job meets many crashes
EFFECT_BUILD = "ba-agent-crash"  # the one with the counted tools
CLEANUP_SECONDS = 5  # between two looks for artifacts that nobody needs
_HERE = os.path.dirname(os.path.realpath(__file__))
_SCRIPT = os.path.join(_HERE, "script.yaml")
_SETTINGS = {
    "kafka": {
        "request_timeout_ms": 15000,
        "intake": {"session_timeout_ms": 2000, "commit_interval_ms": 20},
        "publisher": {"transaction_timeout_ms": 10000},
    },
    "postgres": {"statement_timeout_ms": 5000, "connect_timeout_ms": 2000},
    "llm": {
        "providers": {"scripted": {"timeouts": {"connect_ms": 2000, "first_byte_ms": 2000, "idle_ms": 2000}}},
        "models": {"scripted": {"context_window": 40000, "max_output_tokens": 500},
                   "small": {"provider": "scripted", "model_id": "small-1", "context_window": 40000,
                             "max_output_tokens": 500}},
        "retry": {"tries_max": 100, "malformed_tries_max": 100, "initial_delay_ms": 50, "max_delay_ms": 400},
    },
    "worker": {"lease_ms": LEASE_SECONDS * 1000, "renew_interval_ms": 300, "reap_interval_ms": 200,
               "claim_interval_ms": 50, "drain_grace_ms": 3000},
    "limits": {"running_jobs_max": 12},
    "outbox": {"shards": 4, "own_interval_ms": 100},
    # A window that a few rounds fill.
    "context": {"mode": "summarize", "threshold_percent": 45, "target_percent": 38, "keep_recent_rounds": 1,
                "max_compression_cost_per_hour": 1000, "summary": {"model": "small", "max_input_tokens": 4000}},
    # Permission admin is what database_write asks for.
    "agents": {"default": {"permission": "admin", "sub_agents": ["helper"], "skills": ["keeping"]}, "helper": {}},
}
_SKILL = """---
name: keeping
description: How words are kept.
allowed-tools: file_write execute_command
---
Write the word to a file and say it in a command.
"""


def _host_and_port(url):
    host, port = url.rpartition("@")[2].rpartition("//")[2].split("/")[0].split(":")
    return host, int(port)


class Installation(Deployment):
    """A context, as a deployment is. `journal` is where the effects are written."""

    def __init__(self, stack, folder, delay_ms=30, tablespace=None, attempts_max=ATTEMPTS_MAX):
        limits = {"limits": {"attempts_max": attempts_max}}
        super().__init__(stack, folder, merge(limits, _SETTINGS), {"delay_ms": delay_ms, "scripts": [_SCRIPT]}, tablespace)
        self.attempts_max = attempts_max
        self.journal = os.path.join(folder, "effects.jsonl")
        self.notes = os.path.join(folder, "notes.txt")
        self.artifacts = os.path.join(folder, "artifacts")
        self.files = os.path.join(folder, "files")  # that file_write writes
        self.skills = os.path.join(folder, "skills")
        self.proxies = {}

    def __enter__(self):
        os.makedirs(self.files)
        os.makedirs(os.path.join(self.skills, "keeping"))
        with open(os.path.join(self.skills, "keeping", "SKILL.md"), "w", encoding="utf-8") as file:
            file.write(_SKILL)
        super().__enter__()
        try:
            self._open_bookings()
        except BaseException:
            self.close()
            raise
        return self

    def _open_bookings(self):
        """A table that the jobs write to, in the database of the ledger: what happens to one happens to both."""
        owner = psql(self.database.url, "SELECT current_user").strip()
        with open(os.path.join(ROOT, "config/effects_table.sql"), encoding="utf-8") as file:
            psql(self.database.url, f"\\set writer {owner}\n{file.read()}CREATE TABLE public.bookings (word text);")

    def settings(self):
        stack, proxies = self.stack, self.proxies
        proxies["kafka"] = Proxy(_host_and_port(stack.brokers_behind_proxy),
                                 _host_and_port(stack.brokers_proxy)[1])
        proxies["postgres"] = Proxy(_host_and_port(stack.postgres_url))
        proxies["model"] = Proxy(_host_and_port(self.model.url))
        settings = super().settings()
        settings["kafka"]["brokers"] = proxies["kafka"].address
        settings["llm"]["providers"]["scripted"]["base_url"] = f"http://{proxies['model'].address}"
        books = {"name": "books", "url": self.database.url, "tables": ["bookings"], "description": "bookings(word)"}
        settings["tools"]["database_write"] = {"data_sources": [books]}
        settings["tools"]["artifacts"] = {"directory": self.artifacts, "cleanup_interval_seconds": CLEANUP_SECONDS}
        settings["tools"]["file_write"] = {"roots": [{"name": "kept", "path": self.files}]}
        settings["tools"]["execute_command"] = {"enabled": True}
        settings["skills"] = {"roots": [self.skills]}
        server = {"command": [sys.executable, os.path.join(_HERE, "notes_server.py")], "args": [self.notes],
                  "env": {name: f"${{{name}:-}}" for name in ("BA_CRASH_AT", "BA_CRASH_HOW")}}
        settings["mcp"] = {"servers": {"notes": server}}
        for owner in (settings["postgres"], settings["tools"]["data_sources"][0], books):
            user, rest = owner["url"].rsplit("@", 1)
            owner["url"] = f"{user}@{proxies['postgres'].address}/{rest.split('/', 1)[1]}"
        return settings

    def start_counting_worker(self, crash_at=None, stop=False, version=""):
        """A worker with the counted tools; at its crash point it ends, or with `stop` stands still. `version`
        is what it says it is, empty for the build's own."""
        env = {"BA_EFFECTS_JOURNAL": self.journal, "BA_CRASH_VERSION": version}
        if stop:
            env["BA_CRASH_HOW"] = "stop"
        return self.start_worker(crash_at, EFFECT_BUILD, env)

    def heal_network(self):
        for proxy in self.proxies.values():
            proxy.heal()

    def close(self):
        try:
            super().close()
        finally:
            for proxy in self.proxies.values():
                proxy.close()
