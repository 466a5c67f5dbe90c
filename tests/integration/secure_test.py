# SPDX-License-Identifier: Apache-2.0
"""A stack that checks who asks, everywhere: TLS of a private authority, clients' certificates and passwords at
PostgreSQL, SCRAM and ACLs at Kafka, a proxy with a login before the model and the collector of traces."""

import json
import os
import shlex
import subprocess
import sys

from case import Case
from rig.database import DatabaseError, psql
from rig.stack import ROOT
from rig.waiting import wait_until

GOES_THROUGH = "a job goes through where everybody is asked who they are"
REFUSED = "nobody comes in who lacks one of the proofs"
HERE = os.path.dirname(os.path.realpath(__file__))


def traced():
    given = "BA__OBSERVABILITY__OTLP_"
    names = ("endpoint", "ca_file", "proxy", "proxy_user", "proxy_password")
    return {"observability": {f"otlp_{name}": os.environ[given + name.upper()] for name in names}
                             | {"trace_sampling": "always", "trace_batch_size": 1}}


def exports(stack):
    """Requests that the stack's collector has taken."""
    try:
        with open(os.path.join(stack.directory, "gateway/collector.jsonl"), encoding="utf-8") as file:
            return [json.loads(line)["path"] for line in file]
    except FileNotFoundError:
        return []


def checks_of(deployment):
    return json.loads(deployment.call("doctor", "--json").stdout)["checks"]


def a_job_goes_through(lab):
    """By commands that each have the rights for what they do and no others."""
    with lab.deployment(traced()) as deployment:
        amiss = [check for check in checks_of(deployment) if check["status"] != "PASS"
                 and "answered HTTP 404 to a question for its models" not in check["message"]]  # the stand-in has no list
        assert not amiss, amiss
        before = len(exports(lab.stack))
        deployment.start_worker()
        said = deployment.run("submit", "--tenant", "rig", "--job-id", "one", "bench one 0", "--wait")
        deployment.records_sent += 1
        assert said.strip(), said
        # The answer is told as soon as the ledger has it; the topic has it a moment later.
        (result,) = wait_until(lambda: [json.loads(line) for line in deployment.run("results", "--json").splitlines()], 60,
                               deployment.explain)
        assert result["answers"][0]["text"] == said.strip(), (result, said)
        wait_until(lambda: "/v1/traces" in exports(lab.stack)[before:], 30, deployment.explain)
        for command in (("topics", "verify"), ("outbox", "verify"), ("show", "one", "--tenant", "rig"), ("job", "list"),
                        ("dlq", "list"), ("outbox", "verify", "--adopt")):
            deployment.run(*command)


def nobody_comes_in(lab):
    with lab.deployment() as deployment:
        url = deployment.database.url
        expect_refused(url.partition("?")[0] + "?sslmode=disable", "no encryption")
        own = deployment.ways.role_url(url, "worker")
        expect_refused(own.replace("ba_worker.crt", "none.crt"), "client certificate")
        expect_refused(own.replace("ba_worker.crt", "ba_owner.crt").replace("ba_worker.key", "ba_owner.key"), "ba_worker")
        expect_refused(url.replace("ca.pem", "gateway.crt"), "certificate verify failed")
        deployment.change_settings({"llm": {"providers": {"scripted": {"proxy_password": "wrong"}}}})
        (model,) = [check for check in checks_of(deployment) if check["status"] == "FAIL"]
        assert "proxy refuses the login" in model["message"] + model["remedy"], model
        said = deployment.call("results", env={"BA_CONFIG": deployment.config_file_of("submit.operator")})
        assert said.returncode != 0 and "uthoriz" in said.stderr or "no right" in said.stderr, said


def expect_refused(url, words):
    try:
        psql(url, "SELECT 1")
    except DatabaseError as error:
        assert words in str(error), error
        return
    raise AssertionError(f"came in without {words}")


def on_a_secure_stack(lab):
    """One of its own, without the large model."""
    folder = os.path.join(lab.folder, "stack")
    tool = os.path.join(ROOT, "ops/stack")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("BA_STACK", "BA__"))}
    run = {"check": True, "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    try:
        subprocess.run([tool, "up", "--secure", "--no-model", "--dir", folder], env=clean, **run)
        printed = subprocess.run([tool, "env", "--dir", folder], env=clean, **run).stdout
        words = (shlex.split(line)[1] for line in printed.splitlines() if line.startswith("export "))
        settings = dict(word.split("=", 1) for word in words)
        inner = subprocess.run([sys.executable, os.path.join(HERE, "runner.py"), GOES_THROUGH, REFUSED],
                               env=clean | settings, **(run | {"check": False}))
        assert inner.returncode == 0, inner.stdout
    except subprocess.CalledProcessError as error:
        raise AssertionError(f"{error}: {error.stdout}") from None
    finally:
        subprocess.run([tool, "reset", "--dir", folder], env=clean, **(run | {"check": False}))


TAKES = {"secure": True, "why": "it takes a secure stack, which the case 'secure: ...' starts for it"}
CASES = [
    Case("secure: a job goes through from end to end", on_a_secure_stack, secure=False,
         why="it starts a secure stack for the next two, which run here as they are"),
    Case(GOES_THROUGH, a_job_goes_through, **TAKES),
    Case(REFUSED, nobody_comes_in, **TAKES),
]
