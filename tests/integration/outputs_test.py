# SPDX-License-Identifier: Apache-2.0
"""What a worker says beside its results: the log, which may fail, progress events, and metrics over HTTP."""

import json
import os
import signal

from case import Case
from rig import endpoints
from rig.exactness import Exactness
from rig.jobs import bench_job
from rig.topics import Reader
from rig.waiting import wait_until

JOBS = 10
STAGES = ["job_started", "round_started", "step_finished", "tool_call_started", "tool_call_finished",
          "step_finished", "round_finished", "job_finished"]


def finish_all(deployment, worker):
    """The worker does its work and drains."""
    jobs = [bench_job(f"job-{i}") for i in range(JOBS)]
    deployment.wait_for_worker(worker)
    deployment.submit(jobs)
    deployment.wait_for_results(len(jobs), 60)
    Exactness(deployment, jobs).expect_good()


def drain(worker):
    worker.terminate()
    code = worker.wait(20)
    assert code == 0, f"exit code {code}: {worker.tail()}"


def full_disk_stops_no_worker(lab):
    settings = {"observability": {"log_output": ["stderr", "file"], "log_file": "/dev/full"},
                "http": {"enabled": True, "port": 0}}
    with lab.deployment(settings) as deployment:
        worker = deployment.start_worker()
        finish_all(deployment, worker)
        wait_until(lambda: endpoints.metric(worker, "ba_log_lines_dropped_total") >= JOBS, 10, worker.tail)
        drain(worker)


def closed_outputs_stop_no_worker(lab):
    with lab.deployment({"observability": {"log_output": ["stdout", "stderr"]}}) as deployment:
        worker = deployment.start_worker(through='exec "$@" <&- >&- 2>&-')
        finish_all(deployment, worker)
        drain(worker)


def broken_pipe_stops_no_worker(lab):
    with lab.deployment() as deployment:
        worker = deployment.start_worker(through='exec "$@" 2> >(head -n 1 > /dev/null)')
        finish_all(deployment, worker)
        drain(worker)


def log_that_may_not_grow_stops_no_worker(lab):
    file = os.path.join(lab.folder, "short.log")
    with lab.deployment({"observability": {"log_output": ["file"], "log_file": file}}) as deployment:
        worker = deployment.start_worker(through='ulimit -f 1; exec "$@"')
        finish_all(deployment, worker)
        drain(worker)
        assert os.path.getsize(file) == 1024, f"the limit was not reached: {os.path.getsize(file)} bytes"


def moved_log_file_is_made_anew(lab):
    file = os.path.join(lab.folder, "rotated.log")
    with lab.deployment({"observability": {"log_output": ["file"], "log_file": file}}) as deployment:
        worker = deployment.start_worker()
        deployment.wait_for_worker(worker)
        os.rename(file, file + ".1")
        worker.signal(signal.SIGHUP)
        wait_until(lambda: os.path.exists(file), 10, worker.tail)
        finish_all(deployment, worker)
        drain(worker)
        with open(file, encoding="utf-8") as log:
            said = [json.loads(line)["msg"] for line in log]
        assert said.count("job finished") == JOBS, said


def progress_tells_each_stage_of_a_job(lab):
    with lab.deployment(steps=1) as deployment:
        deployment.start_worker()
        deployment.submit([bench_job("job-1")])
        reader = Reader(deployment.stack.brokers, [deployment.topics["progress"]])
        try:
            wait_until(lambda: len(reader.poll()) >= len(STAGES), 30,
                       lambda: f"{len(STAGES)} events, there are {[m.value() for m in reader.messages]}")
            events = [json.loads(message.value()) for message in reader.messages]
            assert [event["kind"] for event in events] == STAGES, events
            assert {message.key() for message in reader.messages} == {b"rig/job-1"}
            assert events[-1]["status"] == "completed", events[-1]
        finally:
            reader.close()


def progress_can_be_switched_off(lab):
    with lab.deployment({"kafka": {"progress": False}}) as deployment:
        worker = deployment.start_worker()
        finish_all(deployment, worker)
        drain(worker)
        reader = Reader(deployment.stack.brokers, [deployment.topics["progress"]])
        try:
            wait_until(reader.was_at_end, 30, "the end of the progress topic")
            assert not reader.messages, reader.messages[0].value()
        finally:
            reader.close()


def waiting_worker_answers_probes(lab):
    with lab.deployment({"http": {"enabled": True, "port": 0}}) as deployment:
        worker = deployment.start_worker(through='BA_POSTGRES_URL=postgresql://u@127.0.0.1:1/d exec "$@"')
        wait_until(lambda: "waiting for a dependency" in worker.tail(1000), 20, worker.tail)
        assert endpoints.read(worker, "/healthz")[0] == 200
        status, body = endpoints.read(worker, "/readyz")
        assert status == 503, body
        assert json.loads(body)["dependencies"]["postgres"]["reason"] == "waiting for PostgreSQL", body


def metrics_can_be_switched_off(lab):
    """Nothing else goes with the page: probes answer, each job has its report, and the database its sums."""
    settings = {"http": {"enabled": True, "port": 0}, "observability": {"enable_metrics": False}}
    with lab.deployment(settings) as deployment:
        worker = deployment.start_worker()
        finish_all(deployment, worker)
        assert endpoints.read(worker, "/metrics")[0] == 404
        assert endpoints.read(worker, "/healthz") == (200, "ok\n")
        status, body = endpoints.read(worker, "/readyz")
        assert status == 200, body
        totals = deployment.database.row("SELECT total_conversations, total_tokens FROM global_totals")
        assert totals["total_conversations"] == JOBS and totals["total_tokens"] > 0, totals
        assert deployment.database.value("SELECT count(*) FROM metrics") == JOBS
        drain(worker)


CASES = [
    Case("a full disk under the log stops no worker", full_disk_stops_no_worker),
    Case("a log that may not grow stops no worker", log_that_may_not_grow_stops_no_worker),
    Case("closed outputs stop no worker", closed_outputs_stop_no_worker),
    Case("a broken pipe under the log stops no worker", broken_pipe_stops_no_worker),
    Case("a log file that was moved away is made anew on SIGHUP", moved_log_file_is_made_anew),
    Case("a worker that waits for PostgreSQL answers probes", waiting_worker_answers_probes),
    Case("progress tells each stage of a job", progress_tells_each_stage_of_a_job),
    Case("progress can be switched off", progress_can_be_switched_off),
    Case("the page of metrics can be switched off", metrics_can_be_switched_off),
]
