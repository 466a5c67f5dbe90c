#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A producer and a consumer in another language, with stock clients.

Enqueues jobs in protobuf (plain and with Schema-Registry framing) and JSON (plain and as CloudEvents
in structured mode), then reads the results topic with read_committed and checks that each job has
exactly one result, that nothing is doubled, and that ids, metadata and headers are as promised.
Exit codes: 0 all is well, 1 a result is lost, doubled or wrong, 2 wrong usage or no broker.
Run it with the Python of BA_TEST_PYTHON (confluent-kafka and protobuf); protoc must be installed.
"""

import argparse
import collections
import hashlib
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import uuid

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from google.protobuf import json_format

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "schemas"
FRAMING = b"\x00\x00\x00\x00\x07\x00"  # magic 0, schema id 7, message index [0]
FORMS = ("protobuf", "json", "framed", "cloudevent")


def json_file(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--brokers", default=os.environ.get("BA_KAFKA_BROKERS"))
    parser.add_argument("--client-config", type=json_file, default={}, metavar="FILE",
                        help="further properties of the client, as JSON: TLS, a login")
    parser.add_argument("--jobs", type=int, default=8, help="how many jobs to enqueue")
    parser.add_argument("--topic", default="ba.jobs")
    parser.add_argument("--result-topic", default="ba.results")
    parser.add_argument("--expect", type=int, help="results to wait for (default: --jobs)")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for everything")
    parser.add_argument("--settle", type=float, default=3,
                        help="seconds to look for doubled results after the last one")
    parser.add_argument("--tenant", default="stock-client")
    parser.add_argument("--prefix", default=f"stock-{uuid.uuid4().hex[:8]}", help="of the job ids")
    parser.add_argument("--message", default="How many flights are in the table?")
    parser.add_argument("--agent", default="", help="agent profile of the jobs")
    parser.add_argument("--encoding", choices=("json", "protobuf"), default="json",
                        help="that every result must have")
    parser.add_argument("--outcome", default="completed", help="that every job must have")
    parser.add_argument("--duplicates", type=int, default=0,
                        help="how many of the jobs are enqueued a second time")
    arguments = parser.parse_args()
    if not arguments.brokers:
        parser.error("--brokers or BA_KAFKA_BROKERS is needed")
    return arguments


def generated_modules(folder):
    """The Python classes of schemas/, made by protoc."""
    protos = [str(path.relative_to(SCHEMAS)) for path in SCHEMAS.glob("ba/v1/*.proto")]
    subprocess.run(["protoc", f"--python_out={folder}", *protos], cwd=SCHEMAS, check=True)
    sys.path.insert(0, folder)
    return (importlib.import_module("ba.v1.analysis_job_pb2"),
            importlib.import_module("ba.v1.analysis_result_pb2"))


def make_job(jobs, arguments, number):
    return jobs.AnalysisJob(
        tenant=arguments.tenant, job_id=f"{arguments.prefix}-{number}", agent=arguments.agent,
        messages=[arguments.message], metadata={"number": str(number)})


def encoded(job, form, event_id):
    """Value and headers of a job in one of the forms."""
    binary_event = [("ce_specversion", "1.0"), ("ce_id", event_id), ("ce_source", "/stock"),
                    ("ce_type", "job"), ("ce_correlationid", job.job_id)]
    if form == "protobuf":
        return job.SerializeToString(), [("content-type", "application/protobuf"), *binary_event]
    if form == "framed":
        return FRAMING + job.SerializeToString(), binary_event
    if form == "json":
        return json_format.MessageToJson(job).encode(), [("content-type", "application/json"),
                                                         *binary_event]
    event = {"specversion": "1.0", "id": event_id, "source": "/stock", "type": "job",
             "correlationid": job.job_id, "data": json_format.MessageToDict(job)}
    return json.dumps(event).encode(), [("content-type", "application/cloudevents+json")]


def trace_of(job_id):
    """A W3C trace context of its own for each job."""
    digest = hashlib.sha256(job_id.encode()).hexdigest()
    return f"00-{digest[:32]}-{digest[32:48]}-01"


def expected_result_id(tenant, job_id):
    digest = hashlib.sha256()
    for part in (tenant.encode(), job_id.encode(), b"result"):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


class Results:
    """Reads the results topic from where it ended before the first job was enqueued."""

    def __init__(self, arguments, messages):
        self.arguments = arguments
        self.messages = messages
        self.consumer = Consumer({
            **arguments.client_config, "bootstrap.servers": arguments.brokers, "group.id": f"stock-{uuid.uuid4().hex}",
            "isolation.level": "read_committed", "enable.auto.commit": False})
        topic = self.consumer.list_topics(arguments.result_topic, timeout=10).topics
        partitions = topic[arguments.result_topic].partitions
        if not partitions:
            raise KafkaException(f"no topic {arguments.result_topic}")
        starts = []
        for partition in partitions:
            place = TopicPartition(arguments.result_topic, partition)
            starts.append(TopicPartition(arguments.result_topic, partition, self.end_of(place)))
        self.consumer.assign(starts)
        self.seen = collections.defaultdict(list)

    def end_of(self, place):
        """A new partition may have no leader yet: asked again while the client says that it may."""
        deadline = time.monotonic() + 30
        while True:
            try:
                return self.consumer.get_watermark_offsets(place, timeout=10)[1]
            except KafkaException as error:
                code = error.args[0].code()
                if code not in (KafkaError.NOT_LEADER_FOR_PARTITION,
                                KafkaError.LEADER_NOT_AVAILABLE) or time.monotonic() > deadline:
                    raise
                self.consumer.poll(0.1)

    def read_until(self, deadline, enough):
        while time.monotonic() < deadline and not enough(self.seen):
            record = self.consumer.poll(0.2)
            if record is None:
                continue
            if record.error():
                raise KafkaException(record.error())
            result = self.decoded(record)
            if result.tenant == self.arguments.tenant and result.job_id.startswith(
                    self.arguments.prefix + "-"):
                self.seen[result.job_id].append((result, record))

    def decoded(self, record):
        headers = dict(record.headers() or [])
        result = self.messages.AnalysisResult()
        if headers.get("content-type") == b"application/json":
            json_format.Parse(record.value(), result)
        else:
            result.ParseFromString(record.value())
        return result


def faults_of(arguments, job_id, results):
    """What is wrong with the results of one job, as lines of text."""
    if not results:
        return [f"{job_id}: LOST, no result"]
    if len(results) > 1:
        where = [f"{record.partition()}@{record.offset()}" for _, record in results]
        return [f"{job_id}: DOUBLED, {len(results)} results at {', '.join(where)}"]
    result, record = results[0]
    headers = dict(record.headers() or [])
    expected_id = expected_result_id(arguments.tenant, job_id)
    number = job_id.rsplit("-", 1)[1]
    checks = (
        ("outcome", result.outcome, arguments.outcome),
        ("content-type", headers.get("content-type"), f"application/{arguments.encoding}".encode()),
        ("result_id", result.result_id, expected_id),
        ("metadata", dict(result.metadata), {"number": number}),
        ("key", record.key(), f"{arguments.tenant}/{job_id}".encode()),
        ("ce_id", headers.get("ce_id"), expected_id.encode()),
        ("ce_type", headers.get("ce_type"), b"ba.analysis.result.v1"),
        ("ce_correlationid", headers.get("ce_correlationid"), job_id.encode()),
        ("ce_causationid", headers.get("ce_causationid"), f"event-{job_id}".encode()),
        ("traceparent", headers.get("traceparent"), trace_of(job_id).encode()))
    faults = [f"{job_id}: {name} is {found!r}, expected {expected!r}"
              for name, found, expected in checks if found != expected]
    if result.outcome != arguments.outcome:
        faults.append(f"{job_id}: error {result.error.code}: {result.error.message}")
    if arguments.outcome == "completed" and len(result.answers) != 1:
        faults.append(f"{job_id}: {len(result.answers)} answers, expected 1")
    return faults


def enqueue(arguments, jobs):
    """Writes all jobs; the job ids, in order. Fails when the broker did not take one."""
    undelivered = []

    def on_delivery(error, record):
        if error is not None:
            undelivered.append(f"{record.key()}: {error}")

    producer = Producer({**arguments.client_config, "bootstrap.servers": arguments.brokers,
                         "enable.idempotence": True})
    ids = []
    for number in [*range(arguments.jobs), *range(arguments.duplicates)]:
        job = make_job(jobs, arguments, number)
        value, headers = encoded(job, FORMS[number % len(FORMS)], f"event-{job.job_id}")
        headers = [*headers, ("traceparent", trace_of(job.job_id))]
        producer.produce(arguments.topic, value, key=f"job:{job.job_id}", headers=headers,
                         on_delivery=on_delivery)
        if job.job_id not in ids:
            ids.append(job.job_id)
    left = producer.flush(30)
    if left or undelivered:
        raise KafkaException(f"{left} jobs not delivered in time; errors: {undelivered}")
    return ids


def run(arguments):
    deadline = time.monotonic() + arguments.timeout
    expect = arguments.jobs if arguments.expect is None else arguments.expect
    with tempfile.TemporaryDirectory() as generated:
        jobs, messages = generated_modules(generated)
        results = Results(arguments, messages)
        started = time.monotonic()
        ids = enqueue(arguments, jobs)
        print(f"enqueued {len(ids)} jobs as {', '.join(FORMS)}", flush=True)
        results.read_until(deadline, lambda seen: len(seen) >= expect)
        took = time.monotonic() - started
        results.read_until(time.monotonic() + arguments.settle, lambda seen: False)
        results.consumer.close()
    faults = [fault for job_id in ids for fault in faults_of(arguments, job_id, results.seen[job_id])]
    found = sum(1 for found in results.seen.values() if found)
    if found != expect:
        faults.append(f"{found} jobs have a result, expected {expect}")
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        print(f"{found} jobs, each with exactly one result, in {took:.1f} s")
    return 1 if faults else 0


def main():
    arguments = parse_arguments()
    try:
        return run(arguments)
    except (KafkaException, OSError, subprocess.CalledProcessError) as error:
        print(f"stock_client_test: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
