# SPDX-License-Identifier: Apache-2.0
"""A broker that asks for TLS, SCRAM and ACLs. The rights that config/SECURITY.md lists, and no others, are
enough; each one that is left out is named by doctor; a worker says what it lacks, and goes on when it has it."""

import contextlib
import copy
import json
import os
import time

from case import Case
from rig import endpoints
from rig.database import psql
from rig.deployment import Deployment
from rig.exactness import Exactness
from rig.jobs import as_json, bench_job
from rig.rights import rights_of
from rig.secured_kafka import SecuredKafka
from rig.waiting import wait_until

USER, PASSWORD = "ba-agent", "Scr4m-pass/word"
WORKER = "worker, doctor"
# Commands, with who they are in the table.
COMMANDS = {("submit", "why?"): ("submit, dlq redrive",), ("results",): ("results",),
            ("topics", "verify"): ("topics verify",), ("topics", "create"): ("topics create",),
            ("outbox", "verify", "--adopt", "--yes"): ("outbox verify", "outbox verify --adopt")}
LOGIN_REMEDY = "correct kafka.properties.sasl.username and sasl.password"
SETTINGS = {"http": {"enabled": True, "port": 0}, "outbox": {"shards": 4}}


class SecuredDeployment(Deployment):
    """On a broker of its own, with the other parts of the stack. The rig itself comes by the open listener."""

    def __init__(self, lab, broker, **model):
        stack = copy.copy(lab.stack)
        stack.brokers = broker.open_brokers
        super().__init__(stack, os.path.join(lab.folder, "deployment"), SETTINGS, model)
        self._broker = broker

    def settings(self):
        settings = super().settings()
        settings["kafka"] |= {"brokers": self._broker.brokers, "request_timeout_ms": 5000,
                              "properties": self._broker.properties(USER, PASSWORD)}
        self.rights = {WORKER: rights_of(WORKER, settings)} | {
            command: [right for who in all_of_it for right in rights_of(who, settings)]
            for command, all_of_it in COMMANDS.items()}
        self._broker.allow(USER, self.rights["topics", "create"])
        return settings

    def __enter__(self):
        super().__enter__()
        self._broker.deny(USER, self.rights["topics", "create"])
        return self

    def doctor(self):
        """What doctor says of Kafka: (name, status, message, remedy)."""
        said = self.call("doctor", "--json").stdout
        return [(check["name"], check["status"], check["message"], check["remedy"])
                for check in json.loads(said)["checks"]
                if check["name"].split()[0] in ("kafka", "topics", "topic", "group", "transactions")]


@contextlib.contextmanager
def secured(lab, **model):
    with SecuredKafka(lab.folder) as broker:
        broker.add_user(USER, PASSWORD)
        with SecuredDeployment(lab, broker, **model) as deployment:
            yield broker, deployment


def failures(checks):
    return [check for check in checks if check[1] == "FAIL"]


def wait_for_doctor(deployment, condition):
    """ACLs take effect a moment after they are made."""
    checks = []

    def as_wanted():
        checks[:] = deployment.doctor()
        return condition(checks)
    wait_until(as_wanted, 30, lambda: f"doctor says {checks}")


def the_listed_rights_are_enough(lab):
    """For a worker with jobs that are sent and read by commands."""
    with secured(lab) as (broker, deployment):
        broker.allow(USER, deployment.rights[WORKER])
        wait_for_doctor(deployment, lambda checks: not failures(checks))
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker, 60)
        wait_until(lambda: endpoints.read(worker, "/readyz")[0] == 200, 60, worker.tail)
        jobs = [bench_job(f"job-{i}") for i in range(8)]
        deployment.submit(jobs)
        deployment.wait_for_results(len(jobs), 120)
        Exactness(deployment, jobs).expect_good()
        assert "authorization" not in worker.tail(1000).lower(), worker.tail(1000)
        broker.deny(USER, deployment.rights[WORKER])
        for command in COMMANDS:
            broker.allow(USER, deployment.rights[command])
            expect_command(deployment, command)
            broker.deny(USER, deployment.rights[command])


OPTIONS = {"Topic": "--topic", "Group": "--group", "TransactionalId": "--transactional-id"}


# Only what stopped shards have published is verified, and it may be adopted before a right is gone.
STOP_A_SHARD = """INSERT INTO ba.outbox_shards (shard, stopped_reason, stopped_at) VALUES (0, 'for a test', now())
ON CONFLICT (shard) DO UPDATE SET stopped_reason = 'for a test', stopped_at = now(), incarnation = NULL"""


def expect_refusal(deployment, command, right):
    """The command names the right, and what gives it."""
    resource, name, _, operation = right
    what = "transactional ids that begin with" if resource == "TransactionalId" else resource.lower()
    lack = f"User:{USER} has no right {operation} on {what} {name}"
    remedy = f"--allow-principal User:{USER} --operation {operation} {OPTIONS[resource]} {name}"
    ended = []

    def refused():
        psql(deployment.database.url, STOP_A_SHARD)
        ended[:] = [deployment.call(*command)]
        said = ended[0].stdout + ended[0].stderr
        return ended[0].returncode != 0 and lack in said and remedy in said
    wait_until(refused, 30, lambda: f"{command} says {lack}: {ended}")


def surely_needed(command, rights, topics):
    """Of `topics` those on one topic, which is there, so that it isn't created; `submit` sends to one; and where
    nothing is published, `outbox verify` reads nothing under its group."""
    only = {"submit": topics["jobs"], "topics": topics["results"]}.get(command[0])
    return [right for right in rights if right[3] != "Create" and only in (None, right[1])
            and (command[0], right[0]) != ("outbox", "Group")]


def each_right_that_a_command_lacks_is_named_by_it(lab):
    with secured(lab) as (broker, deployment):
        for command in COMMANDS:
            rights = deployment.rights[command]
            broker.allow(USER, rights)
            for right in surely_needed(command, rights, deployment.topics):
                broker.deny(USER, [right])
                expect_refusal(deployment, command, right)
                broker.allow(USER, [right])
            expect_command(deployment, command)
            broker.deny(USER, rights)


def expect_command(deployment, command):
    ended = []

    def works():
        ended[:] = [deployment.call(*command)]
        return ended[0].returncode == 0
    wait_until(works, 30, lambda: f"{command} works: {ended}")


def each_right_that_is_left_out_is_named(lab):
    with secured(lab) as (broker, deployment):
        rights = deployment.rights[WORKER]
        broker.allow(USER, rights)
        wait_for_doctor(deployment, lambda checks: not failures(checks))
        for right in rights:
            _, name, pattern, operation = right
            option = OPTIONS[right[0]]

            def named(checks, operation=operation, name=name, option=option, pattern=pattern):
                failed = failures(checks)
                return (len(failed) == 1 and f"User:{USER} has no right {operation} on " in failed[0][2]
                        and name in failed[0][2]
                        and f"--allow-principal User:{USER} --operation {operation} {option} {name}" in failed[0][3]
                        and ("--resource-pattern-type prefixed" in failed[0][3]) == (pattern == "prefixed"))
            broker.deny(USER, [right])
            wait_for_doctor(deployment, named)
            broker.allow(USER, [right])
        wait_for_doctor(deployment, lambda checks: not failures(checks))


def unready(worker, part):
    """Why /readyz says that the part isn't ready; None: it is."""
    state = json.loads(endpoints.read(worker, "/readyz")[1])["dependencies"].get(part, {"ready": True})
    return None if state["ready"] else state["reason"]


def a_worker_says_what_it_lacks_and_goes_on_with_it(lab):
    """At its start, while it runs, and a topic that it may not publish to; few lines of the log each."""
    with secured(lab) as (broker, deployment):
        rights = deployment.rights[WORKER]
        results = deployment.topics["results"]
        group, transactions = rights[-2], rights[-1]
        write = next(right for right in rights if right[1] == results and right[3] == "Write")
        broker.allow(USER, [right for right in rights if right != group])
        worker = deployment.start_worker()
        wait_until(lambda: f"has no right Read on group {deployment.prefix}" in (unready(worker, "kafka") or ""),
                   60, lambda: f"{endpoints.read(worker, '/readyz')} {worker.tail()}")
        broker.deny(USER, [write, transactions])
        broker.allow(USER, [group])
        wait_until(lambda: f"has no right Write on topic {results}" in (unready(worker, "kafka") or ""),
                   60, lambda: f"{endpoints.read(worker, '/readyz')} {worker.tail()}")
        broker.allow(USER, [write])
        wait_until(lambda: "has no right Write on transactional ids" in (unready(worker, "outbox") or ""),
                   60, lambda: f"{endpoints.read(worker, '/readyz')} {worker.tail()}")
        broker.deny(USER, [write])
        broker.allow(USER, [transactions])
        deployment.submit([bench_job("held")])
        wait_until(lambda: f"has no right Write on topic {results}" in (unready(worker, "outbox") or ""),
                   60, lambda: f"{endpoints.read(worker, '/readyz')} {worker.tail()}")
        wait_until(lambda: f"has no right Write on topic {results}" in (unready(worker, "kafka_access") or ""),
                   60, lambda: f"{endpoints.read(worker, '/readyz')} {worker.tail()}")
        lines = worker.tail(10000).count("\n")
        assert lines < 150, f"{lines} lines: {worker.tail(200)}"
        broker.allow(USER, [write])
        deployment.wait_for_results(1, 120)
        await_ready(worker)


def await_ready(worker):
    wait_until(lambda: endpoints.read(worker, "/readyz")[0] == 200, 60,
               lambda: f"{endpoints.read(worker, '/readyz')} {worker.tail()}")


@contextlib.contextmanager
def worker_that_loses(lab, operation, topic):
    """A right on a topic, once it is ready."""
    with secured(lab) as (broker, deployment):
        name = deployment.topics[topic]
        right = next(right for right in deployment.rights[WORKER] if right[1] == name and right[3] == operation)
        broker.allow(USER, deployment.rights[WORKER])
        worker = deployment.start_worker()
        await_ready(worker)
        broker.deny(USER, [right])
        yield deployment, worker, lambda: broker.allow(USER, [right])


def one_topic_that_may_not_be_written_holds_up_no_other(lab):
    with worker_that_loses(lab, "Write", "metrics") as (deployment, worker, give_back):
        told = f"has no right Write on topic {deployment.topics['metrics']}"
        deployment.submit([bench_job(f"job-{number}") for number in range(5)])
        deployment.wait_for_results(5, 60)
        wait_until(lambda: told in (unready(worker, "outbox") or ""),
                   60, lambda: f"{endpoints.read(worker, '/readyz')} {worker.tail()}")
        # Also while the metrics are tried again, and while other topics' records go out.
        for number in range(5, 13):
            deployment.submit([bench_job(f"job-{number}")])
            deployment.wait_for_results(number + 1, 30)
            assert told in (unready(worker, "outbox") or ""), worker.tail()
            time.sleep(1)
        assert deployment.records_on("metrics") == 0
        give_back()
        wait_until(lambda: deployment.records_on("metrics") >= 13, 120, worker.tail)
        await_ready(worker)
        assert deployment.records_on("metrics") == 13, "each once"
        assert deployment.records_on("results") == 13, "each once"


def one_job_topic_that_may_not_be_read_holds_up_no_other(lab):
    with worker_that_loses(lab, "Read", "jobs_batch") as (deployment, worker, give_back):
        told = f"has no right Read on topic {deployment.topics['jobs_batch']}"
        deployment.send([as_json(bench_job("waits"))], "jobs_batch")
        wait_until(lambda: told in (unready(worker, "kafka_access") or ""),
                   60, lambda: f"{endpoints.read(worker, '/readyz')} {worker.tail()}")
        for number in range(5):
            deployment.submit([bench_job(f"job-{number}")])
            deployment.wait_for_results(number + 1, 30)
            time.sleep(1)
        give_back()
        deployment.wait_for_results(6, 60)
        await_ready(worker)


def a_wrong_login_is_told_for_what_it_is(lab):
    with secured(lab) as (broker, deployment):
        broker.allow(USER, deployment.rights[WORKER])
        for changes, message, remedy in (
                ({"sasl.password": "wrong"}, "SCRAM-SHA-512", LOGIN_REMEDY),
                ({"sasl.username": "nobody"}, "SCRAM-SHA-512", LOGIN_REMEDY),
                ({"sasl.mechanism": "PLAIN"}, "PLAIN", "kafka.properties.sasl.mechanism is PLAIN"),
                ({"ssl.ca.location": ""}, "certificate", "kafka.properties.ssl.ca.location"),
                ({"security.protocol": "SASL_PLAINTEXT"}, "", "kafka.properties.security.protocol is SASL_PLAINTEXT"),
                ({"security.protocol": "PLAINTEXT"}, "", "kafka.properties.security.protocol is PLAINTEXT")):
            properties = broker.properties(USER, PASSWORD) | changes
            properties = {name: value for name, value in properties.items() if value}
            deployment.change_settings({"kafka": {"properties": None}})
            deployment.change_settings({"kafka": {"properties": properties}})
            failed = failures(deployment.doctor())
            assert len(failed) == 1 and message in failed[0][2] and remedy in failed[0][2], (changes, failed)
            assert PASSWORD not in str(failed) and "wrong" not in str(failed), failed


OWN = {"secure": False, "why": "it has a broker of its own, with TLS, SCRAM and ACLs"}
CASES = [
    Case("with ACLs: the listed rights are enough", the_listed_rights_are_enough, **OWN),
    Case("with ACLs: each right that is left out is named by doctor", each_right_that_is_left_out_is_named, **OWN),
    Case("with ACLs: each right that a command lacks is named by it", each_right_that_a_command_lacks_is_named_by_it,
         **OWN),
    Case("with ACLs: a worker says what it lacks and goes on with it",
         a_worker_says_what_it_lacks_and_goes_on_with_it, **OWN),
    Case("with ACLs: one topic that may not be written holds up no other",
         one_topic_that_may_not_be_written_holds_up_no_other, **OWN),
    Case("with ACLs: one job topic that may not be read holds up no other",
         one_job_topic_that_may_not_be_read_holds_up_no_other, **OWN),
    Case("with SCRAM: a wrong login is told for what it is", a_wrong_login_is_told_for_what_it_is, **OWN),
]
