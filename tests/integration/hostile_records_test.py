# SPDX-License-Identifier: Apache-2.0
"""Records that are no jobs become dead letters with a reason, byte for byte; the good jobs between
them are answered."""

import json

from case import Case
from rig.exactness import Exactness
from rig.jobs import as_json, as_protobuf, bench_job
from rig.waiting import wait_until

JSON = [("content-type", b"application/json")]
PROTOBUF = [("content-type", b"application/protobuf")]


def job_text(**changes):
    return json.dumps(bench_job("bad") | changes).encode()


# Value, headers, reason, and the field that the reason must name.
HOSTILE = (
    (b"", [], "EMPTY_RECORD", None),
    (None, [], "EMPTY_RECORD", None),
    (b"{", JSON, "BAD_JSON", None),
    (b"no json at all", JSON, "BAD_JSON", None),
    (b'{"tenant": "rig", "tenant"', [], "BAD_JSON", None),
    (b"[" * 100_000, JSON, "WRONG_TYPE", None),
    (b'{"a":' * 100_000, JSON, "BAD_JSON", None),
    (b"\xff\xfe\xfd" * 10, PROTOBUF, "BAD_PROTOBUF", None),
    (b"\x00\x00\x00", [], "BAD_FRAMING", None),
    (job_text(schema_version=99), JSON, "UNKNOWN_VERSION", "schema_version"),
    (json.dumps({"tenant": "rig", "messages": ["a"]}).encode(), JSON, "MISSING_FIELD", "job_id"),
    (job_text(messages=[]), JSON, "MISSING_FIELD", "messages"),
    (job_text(messages="one"), JSON, "WRONG_TYPE", "messages"),
    (job_text(messages=["a\x00b"]), JSON, None, "messages[0]"),
    (b'{"tenant": "rig", "job_id": "x", "messages": ["\xff"]}', JSON, None, None),
    (b'{"tenant": "rig", "job_id": "x", "messages": ["\\ud800"]}', JSON, None, None),
    (job_text(messages=["x" * 900_000]), JSON, None, "messages[0]"),
    (b" " * 2_000_000, JSON, "TOO_LARGE", None),
    (job_text(lane="sideways"), JSON, None, "lane"),
    (job_text(), [("content-type", b"image/png")], "BAD_CONTENT_TYPE", None),
    (job_text(), [("content-type", b"application/json"), ("x", b"\xff" * 100)], "good", None),
)


def headers_of(message):
    """The last of each name; names may repeat."""
    return dict(message.headers() or [])


def expect_dead_letter(letters, value, reason, field):
    """The letter with that value, or the problem with it."""
    null = b"true" if value is None else None
    same = [letter for letter in letters if (letter.value() or b"") == (value or b"")
            and headers_of(letter).get("ba.error.no-value") == null]
    if not same:
        return f"no dead letter for {value if value is None else value[:60]!r}"
    for letter in same:
        headers = headers_of(letter)
        code, named = headers.get("ba.error.code", b"").decode(), headers.get("ba.error.field", b"").decode()
        if not code or (reason and code != reason) or (field and named != field) or not headers.get("ba.error.message"):
            return (f"{(value or b'')[:60]!r}: {code} at {named!r} ({headers.get('ba.error.message')}),"
                    f" expected {reason} at {field!r}")
    return None


def hostile_records(lab):
    good = [bench_job(f"good-{i}") for i in range(len(HOSTILE))]
    bad = [h for h in HOSTILE if h[2] != "good"]
    with lab.deployment() as deployment:
        records = []
        for i, (value, headers, _, _) in enumerate(HOSTILE):
            records.append((f"key-{i}".encode(), value, headers))
            records.append((as_json if i % 2 else as_protobuf)(good[i]))
        deployment.send(records)
        good.append(bench_job("bad"))  # its strange headers do no harm
        worker = deployment.start_worker()
        deployment.wait_for_results(len(good), 60)
        wait_until(lambda: deployment.database.value("SELECT count(*) AS n FROM dead_letters") == len(bad), 30,
                   lambda: str(deployment.database.rows("SELECT reason, field, message FROM dead_letters")))
        exact = Exactness(deployment, good)
        problems = [expect_dead_letter(exact.dead_letters, value, reason, field)
                    for value, _, reason, field in bad]
        exact.violations += [problem for problem in problems if problem]
        if len(exact.dead_letters) != len(bad):
            exact.violations.append(f"{len(exact.dead_letters)} dead letters on the topic, {len(bad)} expected")
        exact.expect_good()
        assert worker.exit_code is None
        return f"{len(bad)} dead letters, {len(good)} good jobs"


def repeated_jobs(lab):
    """A producer that sends its jobs twice gets one result for each."""
    jobs = [bench_job(f"job-{i}") for i in range(20)]
    with lab.deployment() as deployment:
        deployment.start_worker()
        deployment.submit(jobs)
        deployment.wait_for_results(len(jobs), 60)
        deployment.submit(jobs, as_protobuf)
        deployment.submit([bench_job("last")])
        deployment.wait_for_results(len(jobs) + 1, 60)
        Exactness(deployment, [*jobs, bench_job("last")]).expect_good()


def submit_hears_of_a_refusal(lab):
    """The worker allows less than the submitter thinks: who waits is told, at once."""
    with lab.deployment() as deployment:
        worker = deployment.start_worker(through='BA__LIMITS__ROUNDS_PER_JOB_MAX=1 exec "$@"')
        deployment.wait_for_worker(worker)
        try:
            deployment.run("submit", "--wait", "--job-id", "two", "one question", "another")
        except AssertionError as ended:
            assert "ended with 3" in str(ended) and "two was refused: messages" in str(ended), str(ended)
        else:
            raise AssertionError("the job was not refused")


CASES = [
    Case("who waits for a job that is refused is told", submit_hears_of_a_refusal),
    Case("records that are no jobs become dead letters", hostile_records),
    Case("jobs that are sent twice have one result", repeated_jobs),
]
