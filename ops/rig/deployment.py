# SPDX-License-Identifier: Apache-2.0
"""One installation of the program: its settings, topics, database and model, apart from all others
on the same stack."""

import copy
import json
import os
import subprocess
import sys
import uuid

from .database import Database
from .jobs import as_json
from .processes import Process
from .scripted_model import ScriptedModel
from .secure_ways import SecureWays
from .stack import program
from .topics import Producer, Reader, delete_topics, read_all
from .waiting import wait_until

LEASE_SECONDS = 2
_TOPICS = {"jobs_high": "jobs.high", "jobs": "jobs", "jobs_batch": "jobs.batch", "results": "results",
           "metrics": "metrics", "dead_letters": "dead-letters", "progress": "progress",
           "receipts": "outbox-receipts"}


def merge(base, changes):
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            merge(base[key], value)
        else:
            base[key] = value
    return base


class Deployment:
    """A context: everything it started is gone at its end; logs and settings stay in `folder`. `build_dir` is the
    folder of the build whose worker and commands run; the model is always that of the rig's own build."""

    def __init__(self, stack, folder, settings=None, model=None, tablespace=None, build_dir=None):
        self.stack = stack
        self.folder = folder
        self.prefix = f"t{uuid.uuid4().hex[:10]}"
        self.topics = {name: f"{self.prefix}.{topic}" for name, topic in _TOPICS.items()}
        self.workers = []
        self.records_sent = 0  # to the topics of jobs
        self.environment = {}  # of the program, beside its settings; may be filled by settings()
        self._changes = settings or {}
        self._model_options = model or {}
        self._tablespace = tablespace  # of the database; None: the server's own
        self._build_dir = build_dir
        self._config_file = os.path.join(folder, "ba-agent.yaml")
        self.model = self.database = self.ways = self._producer = self._settings = None

    def __enter__(self):
        os.makedirs(self.folder, exist_ok=True)
        try:
            self.model = ScriptedModel(self.folder, **self._model_options)
            self.database = Database(self.stack, self.prefix, self._tablespace)
            self.ways = SecureWays(self) if self.stack.secure else None
            self._settings = merge(self.settings(), copy.deepcopy(self._changes))
            self._write_settings()
            if self.ways:
                self.ways.allow_topics(self._settings)
            self.run("migrate")
            if self.ways:
                self.ways.grant(self._settings)
            self.run("topics", "create")
            self._producer = Producer(self.stack.brokers)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind, *_exception):
        try:
            self.close()
        except Exception as error:  # pylint: disable=broad-exception-caught
            if kind is None:
                raise
            print(f"while cleaning up {self.prefix}: {error}", file=sys.stderr)

    def close(self):
        for process in (*self.workers, *([self.model.process] if self.model else [])):
            if process.exit_code is None:
                process.kill()
        if self.database:
            self.database.drop()
        if self.ways:
            self.ways.close()
        delete_topics(self.stack.brokers, self.topics.values())

    def settings(self):
        """Of every worker, before the changes that were asked for. JSON is YAML."""
        settings = self._plain_settings()
        return merge(settings, self.ways.settings()) if self.ways else settings

    def _plain_settings(self):
        return {
            "kafka": {
                "brokers": self.stack.brokers, "group_id": self.prefix, "topics": self.topics,
                "intake": {"session_timeout_ms": 6000, "commit_interval_ms": 50},
                "publisher": {"transactional_id_prefix": self.prefix},
                "topic_settings": {"job_partitions": 3, "result_partitions": 2},
            },
            "postgres": {"url": self.database.url},
            "llm": {
                "providers": {"scripted": {"protocol": "anthropic", "base_url": self.model.url}},
                "models": {"scripted": {
                    "provider": "scripted", "model_id": "scripted-1",
                    "prices": {"input_per_mtok_usd": 1, "output_per_mtok_usd": 5, "as_of": "2026-11"},
                }},
                "default_model": "scripted",
            },
            "tools": {"data_sources": [{
                "name": "analytics", "url": self.stack.analytics_url, "description": "flights of 2013",
                "tables": "flights(year, month, day, carrier)", "pool_size": 8,
            }]},
            "worker": {
                "lease_ms": LEASE_SECONDS * 1000, "renew_interval_ms": 400, "reap_interval_ms": 300,
                "claim_interval_ms": 100, "drain_grace_ms": 10000,
            },
            "outbox": {"shards": 4, "own_interval_ms": 200},
            "http": {"enabled": False},
        }

    def change_settings(self, changes):
        """Of what is started from now on, and of workers that read their file again."""
        merge(self._settings, copy.deepcopy(changes))
        self._write_settings()

    def _write_settings(self):
        self.write_private(self._config_file, self._settings)
        if self.ways:
            for who, settings in self.ways.settings_of_others(self._settings).items():
                self.write_private(self.config_file_of(who), settings)

    @staticmethod
    def write_private(path, settings):
        """They hold passwords."""
        with open(path, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            json.dump(settings, file, indent=1)

    def config_file_of(self, who):
        return f"{self._config_file}.{who}"

    def call(self, *arguments, env=None, build="ba-agent", given="", seconds=120):
        """One command of the program, with `env` added to its environment and `given` as its standard
        input: how it ended and what it said. After `seconds` it is killed, and TimeoutExpired raised."""
        return subprocess.run([program(build, self._build_dir), *arguments], env=self.environment_of_programs(*arguments) | (env or {}),
                              check=False, input=given, capture_output=True, text=True, timeout=seconds)

    def answer(self, *arguments, code=0, given=""):
        """What a command writes to standard output and to standard error; it must end with that exit
        code."""
        run = self.call(*arguments, given=given)
        if run.returncode != code:
            raise AssertionError(f"ba-agent {' '.join(arguments)} ended with {run.returncode}:\n"
                                 f"{run.stdout}{run.stderr}")
        return run.stdout, run.stderr

    def run(self, *arguments, code=0):
        """What a command prints, which must end with that exit code."""
        return self.answer(*arguments, code=code)[0]

    def environment_of_programs(self, *arguments):
        """Of the command that `arguments` are; without, of a worker."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("BA_", "ANTHROPIC_", "OPENAI_"))}
        login = self.ways.environment_of(arguments) if self.ways else {}
        return kept | {"BA_CONFIG": self._config_file} | self.environment | login

    def start_worker(self, crash_at=None, build=None, env=None, through=None):
        """A worker; with `crash_at` one that kills itself there ("point" or "point:nth"). `build` is
        another program than the usual one, `env` is added to its environment. `through` is a line of
        bash that ends in `exec "$@"`, with redirections."""
        name = f"worker-{len(self.workers) + 1}"
        command = [program(build or ("ba-agent-crash" if crash_at else "ba-agent"), self._build_dir), "worker"]
        if through:
            command = ["bash", "-c", through, "bash", *command]
        env = self.environment_of_programs() | {"BA__WORKER__NAME": name} | (env or {})
        if crash_at:
            env["BA_CRASH_AT"] = crash_at
        worker = Process(name, command, f"{self.folder}/{name}.log", env)
        self.workers.append(worker)
        return worker

    def wait_for_worker(self, worker, seconds=20):
        """Until it has a lease: it works from then on."""
        def alive():
            assert worker.exit_code is None, f"{worker.name} ended: {worker.tail()}"
            return self.database.try_value(
                f"SELECT count(*) AS n FROM incarnations WHERE pid = {worker.pid} AND state = 'alive'")
        wait_until(alive, seconds, lambda: f"{worker.name} has a lease: {worker.tail()}")

    def submit(self, jobs, encode=as_json):
        self.send([encode(job) for job in jobs])

    def send(self, records, topic="jobs"):
        """Records as (key, value, headers)."""
        self._producer.send(self.topics[topic], records)
        self.records_sent += len(records)

    def records_on(self, topic):
        return len(read_all(self.stack.brokers, [self.topics[topic]])[self.topics[topic]])

    def finished(self):
        """How many jobs that were submitted have a terminal row; 0 while the database does not answer."""
        return self.database.try_value(
            "SELECT count(*) AS n FROM jobs WHERE state = 'finished' AND parent IS NULL") or 0

    def wait_for_results(self, count, seconds):
        """Until `count` results are committed on the topic."""
        reader = Reader(self.stack.brokers, [self.topics["results"]])
        try:
            wait_until(lambda: len(reader.poll()) >= count, seconds,
                       lambda: f"{count} results, there are {len(reader.messages)}; {self.explain()}")
        finally:
            reader.close()

    def explain(self):
        """What the ledger says about where things are, and the workers' last words."""
        try:
            states = self.database.rows("SELECT state, count(*) AS n FROM jobs GROUP BY state")
            outbox = self.database.rows(
                "SELECT shard, count(*) AS rows, count(published_at) AS published FROM outbox GROUP BY shard")
            shards = self.database.rows("SELECT * FROM outbox_shards")
        except RuntimeError as error:
            states, outbox, shards = str(error), None, None
        tails = "".join(f"\n--- {w.name} (exit code {w.exit_code}){w.tail(8)}" for w in self.workers[-6:])
        return f"jobs {states}, outbox {outbox}, shards {shards}{tails}"
