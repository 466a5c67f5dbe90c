# SPDX-License-Identifier: Apache-2.0
"""Two installations on one cluster, each with its own ledger and topics, that share a
`transactional_id_prefix` by mistake."""

import dataclasses
import json
import os

from case import Case
from rig import endpoints
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.waiting import wait_until

SETTINGS = {"http": {"enabled": True, "port": 0}, "outbox": {"shards": 1}}
TURNS = 4  # a shard that was fenced three times within ten minutes is contested


def with_prefix(deployment, prefix):
    deployment.change_settings({"kafka": {"publisher": {"transactional_id_prefix": prefix}}})


def start(deployment):
    worker = deployment.start_worker()
    wait_until(lambda: endpoints.read(worker, "/readyz")[0] == 200, 60, worker.tail)
    return worker


def take_turns(installations, jobs, turns):
    """A job for each in turn, whose result is there before the other publishes again."""
    for _ in range(turns):
        for deployment in installations:
            own = jobs.setdefault(deployment.prefix, [])
            own.append(bench_job(f"job-{len(own)}"))
            deployment.submit(own[-1:])
            deployment.wait_for_results(len(own), 60)


def amiss(worker):
    parts = json.loads(endpoints.read(worker, "/readyz")[1])["dependencies"]
    return {name: part["reason"] for name, part in parts.items() if not part["ready"]}


def expect_told(worker, prefix):
    """By the log what it can mean, with the prefix, and what mends it; readiness fails by its outbox alone."""
    log = worker.tail(10_000)
    for words in (f"another producer has begun as {prefix}-0",
                  f"another installation with the same kafka.publisher.transactional_id_prefix ({prefix}); each"
                  " installation on these brokers needs a prefix of its own",
                  "somebody else publishes as shards of this worker"):
        assert words in log, f"{words}: {log}"
    wait_until(lambda: amiss(worker).get("outbox"), 20, worker.tail)
    assert list(amiss(worker)) == ["outbox"], amiss(worker)
    assert "give each installation its own kafka.publisher.transactional_id_prefix" in amiss(worker)["outbox"]


def stop(worker):
    worker.terminate()
    assert worker.wait(30) == 0, worker.tail()


def one_prefix_for_two(lab):
    """Nothing is lost or doubled in either, and with a prefix for each nobody is fenced any more."""
    other = dataclasses.replace(lab, folder=os.path.join(lab.folder, "second"))
    with lab.deployment(SETTINGS) as first, other.deployment(SETTINGS) as second:
        installations, jobs = (first, second), {}
        with_prefix(second, first.prefix)
        workers = [start(deployment) for deployment in installations]
        take_turns(installations, jobs, TURNS)
        for worker in workers:
            expect_told(worker, first.prefix)
            stop(worker)

        with_prefix(second, second.prefix)
        workers = [start(deployment) for deployment in installations]
        take_turns(installations, jobs, TURNS)
        for deployment, worker in zip(installations, workers):
            assert "another producer has begun" not in worker.tail(10_000), worker.tail(10_000)
            assert endpoints.read(worker, "/readyz")[0] == 200, worker.tail()
            Exactness(deployment, jobs[deployment.prefix]).expect_good()


CASES = [
    Case("two installations with one prefix of transactional ids are told and lose nothing", one_prefix_for_two),
]
