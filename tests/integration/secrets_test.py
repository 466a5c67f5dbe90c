# SPDX-License-Identifier: Apache-2.0
"""Secrets of the configuration reach no log, metric, table, topic or command line, whatever a model,
a tool or a server says of them."""

import json
import os
import subprocess
import urllib.parse

from case import Case
from rig import endpoints
from rig.database import connection
from rig.jobs import bench_job
from rig.topics import read_all

API_KEY = "planted-key-7Qm2vX91LtRz"
HEADER = "planted-header-p4Yd8WcK03"
SECRETS = (API_KEY, HEADER)


def script(folder):
    """A model that repeats what it must not, and a provider that quotes the key in its error."""
    said = f"The key is {API_KEY}, the header {HEADER}."
    query = {"sql": f"SELECT '{API_KEY}' AS said, carrier FROM airlines LIMIT 1"}
    failing = {"sql": f"SELECT '{API_KEY}'::integer"}
    refusal = {"type": "error", "error": {"type": "authentication_error", "message": f"invalid x-api-key: {API_KEY}"}}
    entries = [
        {"when": {"prefix": "says it"}, "then": [
            {"text": said, "tool_calls": [
                {"name": "query_database", "args": query}, {"name": "query_database", "args": failing},
                {"name": f"tool_{API_KEY}", "args": {}}, {"name": "query_database", "raw_args": f"{{{API_KEY}"}]},
            {"text": said, "thinking": said}]},
        {"when": {"prefix": "is refused"}, "then": [
            {"text": "never said", "faults": [{"times": 99, "status": 401, "body": json.dumps(refusal)}]}]},
    ]
    file = os.path.join(folder, "leaks.json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump({"entries": entries}, out)
    return file


def settings(lab):
    return {
        "llm": {"providers": {"scripted": {"api_key": API_KEY, "headers": {"x-gateway-token": HEADER}}}},
        "observability": {"log_level": "debug"},
        "http": {"enabled": True, "port": 0},
        "kafka": {"progress": True},
    }


def command_lines():
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                yield file.read()
        except OSError:
            continue


def dump(url):
    return subprocess.run(["pg_dump"], env=connection(url), check=True, capture_output=True, timeout=60).stdout


def places(deployment, worker, metrics):
    """Where a secret could have gone, by name."""
    topics = read_all(deployment.stack.brokers,
                      [t for n, t in deployment.topics.items() if not n.startswith("jobs")])
    for topic, messages in topics.items():
        yield topic, b"".join(
            (m.key() or b"") + (m.value() or b"") + repr(m.headers()).encode() for m in messages)
    with open(worker.log, "rb") as log:
        yield "log", log.read()
    yield "metrics", metrics
    yield "tables", dump(deployment.database.url)
    yield "command lines", b"".join(command_lines())
    yield "show", "".join(deployment.run("show", job, "--tenant", "rig") for job in ("says", "refused")).encode()
    yield "config print", deployment.run("config", "print").encode()


def secrets_stay_secret(lab):
    with lab.deployment(settings(lab), scripts=[script(lab.folder)]) as deployment:
        planted = [secret.encode() for secret in SECRETS]
        for url in (deployment.database.url, lab.stack.analytics_url):
            planted.append(urllib.parse.unquote(urllib.parse.urlsplit(url).password).encode())
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        jobs = [bench_job("says"), bench_job("refused")]
        jobs[0]["messages"] = ["says it"]
        jobs[1]["messages"] = ["is refused"]
        deployment.submit(jobs)
        deployment.wait_for_results(2, 60)
        metrics = endpoints.read(worker, "/metrics")[1].encode()
        worker.terminate()
        assert worker.wait(20) == 0, worker.tail()
        found = dict(places(deployment, worker, metrics))
        # The tables and topics do hold what was said around the secrets.
        for name in ("tables", deployment.topics["results"]):
            assert b"The key is ***, the header ***." in found[name], (name, found[name][-2000:])
        assert b"invalid x-api-key: ***" in found["tables"], worker.tail(50)
        planted += [secret.hex().encode() for secret in planted]  # as pg_dump writes bytes
        leaks = [(name, secret[:8]) for name, content in found.items() for secret in planted if secret in content]
        assert not leaks, leaks


CASES = [Case("secrets stay out of logs, metrics, tables, topics and command lines", secrets_stay_secret)]
