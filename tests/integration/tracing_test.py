# SPDX-License-Identifier: Apache-2.0
"""Traces, as a collector gets them: their form, their tree, and that they cost the jobs nothing."""

from case import Case
from rig import endpoints
from rig.collector import Collector
from rig.jobs import as_json, bench_job
from rig.topics import read_all
from rig.waiting import wait_until

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


def told_to(collector, **changes):
    return {"observability": {"otlp_endpoint": collector.url, "trace_sampling": "always", "trace_batch_size": 5,
                              "otlp_headers": {"x-key": "planted-key"}, "extra_tags": {"team": "ops"}, **changes}}


def with_traceparent(job):
    key, value, headers = as_json(job)
    return key, value, [*headers, ("traceparent", TRACEPARENT.encode())]


def only(spans, what):
    assert len(spans) == 1, f"{len(spans)} spans {what}"
    return spans[0]


def expect_no_content(spans):
    for span in spans:
        for name, value in span.attributes.items():
            assert "bench job" not in str(value) and "SELECT" not in str(value), f"{span.name} {name}: {value}"


def a_job_is_one_tree(lab):
    """In the trace of its record's header, which goes on with the result; without content."""
    with Collector() as collector, lab.deployment(told_to(collector), steps=2) as deployment:
        deployment.start_worker()
        deployment.submit([bench_job("job 1")], with_traceparent)
        deployment.wait_for_results(1, 60)
        wait_until(lambda: collector.named("process "), 30, deployment.explain)
        assert not collector.problems, collector.problems
        spans = list(collector.spans)
        assert {span.trace for span in spans} == {TRACE}
        job = only(collector.named("process "), "of the job")
        agent = only(collector.named("invoke_agent "), "of the agent")
        chats, tools = collector.named("chat "), collector.named("execute_tool ")
        assert (job.parent, agent.parent) == (PARENT, job.id)
        assert len(chats) == 3 and tools, [span.name for span in spans]
        assert all(span.parent == agent.id for span in chats + tools)
        assert all(span.start <= span.end and job.start <= span.start for span in spans)
        assert (job.kind, agent.kind, chats[0].kind, tools[0].kind) == (5, 1, 3, 1)
        assert job.attributes["messaging.destination.name"] == deployment.topics["jobs"]
        assert job.attributes["messaging.consumer.group.name"] == deployment.prefix
        usage = [span.attributes["gen_ai.usage.input_tokens"] for span in chats]
        assert agent.attributes["gen_ai.usage.input_tokens"] == sum(usage) > 0
        for tool in tools:
            assert tool.attributes["tool.success"] is True and tool.attributes["tool.duration_ms"] >= 0
        expect_no_content(spans)
        resource = job.resource
        assert (resource["service.name"], resource["deployment.environment.name"], resource["team"]) == (
            "ba-agent", "production", "ops"), resource
        path, headers = collector.requests[0]
        assert (path, headers["x-key"], headers["Content-Encoding"]) == ("/v1/traces", "planted-key", "gzip")
        for topic in ("results", "metrics"):
            name = deployment.topics[topic]
            record = only(read_all(deployment.stack.brokers, [name])[name], topic)
            assert dict(record.headers())["traceparent"].decode() == TRACEPARENT


def a_job_that_is_taken_over_is_one_tree(lab):
    """The spans of a worker that is killed and those of the one that goes on."""
    with Collector() as collector:
        settings = told_to(collector, trace_batch_size=1)
        with lab.deployment(settings, steps=4, delay_ms=300) as deployment:
            first = deployment.start_worker()
            deployment.wait_for_worker(first)
            deployment.submit([bench_job("job 1")])
            wait_until(lambda: collector.named("execute_tool "), 30, deployment.explain)
            first.kill()
            deployment.start_worker()
            deployment.wait_for_results(1, 60)
            wait_until(lambda: collector.named("process "), 30, deployment.explain)
            assert not collector.problems, collector.problems
            agent = only(collector.named("invoke_agent "), "of the agent")
            job = only(collector.named("process "), "of the job")
            below = collector.named("chat ") + collector.named("execute_tool ")
            assert {span.trace for span in collector.spans} == {job.trace}
            assert {span.parent for span in below} == {agent.id} and agent.parent == job.id
            assert {span.attributes["ba.attempt"] for span in below} == {1, 2}, below
            assert len({span.resource["service.instance.id"] for span in below}) == 2


def a_collector_that_is_down_costs_no_job(lab):
    """Spans are dropped and counted; jobs end as ever, and so does the worker."""
    with Collector(status=503) as collector:
        settings = told_to(collector, trace_batch_size=1, trace_queue_max=3)
        settings["http"] = {"enabled": True, "port": 0}
        with lab.deployment(settings, steps=2) as deployment:
            worker = deployment.start_worker()
            deployment.submit([bench_job(f"job {i}") for i in range(10)])
            deployment.wait_for_results(10, 60)
            name = 'ba_trace_spans_dropped_total{reason="queue_full"}'
            wait_until(lambda: (endpoints.metric(worker, name) or 0) > 0, 30, worker.tail)
            assert endpoints.metric(worker, "ba_trace_spans_exported_total") == 0
            worker.terminate()
            wait_until(lambda: worker.exit_code == 0, 30, worker.tail)


def what_is_never_sampled_is_not_told(lab):
    with Collector() as collector, lab.deployment(told_to(collector, trace_sampling="NEVER")) as deployment:
        worker = deployment.start_worker()
        deployment.submit([bench_job("job 1")])
        deployment.wait_for_results(1, 60)
        worker.terminate()
        wait_until(lambda: worker.exit_code == 0, 30, worker.tail)
        assert not collector.requests


CASES = [
    Case("a traced job is one tree in the published form", a_job_is_one_tree),
    Case("a traced job that is taken over is one tree", a_job_that_is_taken_over_is_one_tree),
    Case("a trace collector that is down costs no job", a_collector_that_is_down_costs_no_job),
    Case("what is never sampled is not told", what_is_never_sampled_is_not_told),
]
