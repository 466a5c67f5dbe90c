# SPDX-License-Identifier: Apache-2.0
"""The checks find what is wrong: after a good run one thing after the other is spoilt."""

import json
import os
import time

import confluent_kafka

from bookings import Bookings
from chaos_run import RECOVERY_MAX
from crew import Kill
from effects import Effects
from forked_test import fork_one, forks_are_checked
from fates_test import fates_are_checked
from imported_test import import_some, imports_are_checked
from installation import Installation
from kept_results_test import results_are_checked
from rig.database import psql
from rig.postgres_server import PostgresServer
from skilled import Skilled
from tally import Tally
from verdict import Verdict, jobs_never_taken_over
from versions import Versions
from tenants import TENANTS
from words import Words, make_job

NUMBERS = 2  # of the jobs of each tenant
# What is done to the effect journal's first line of a class, and a word of the violation.
_EFFECTS = (
    ("once", lambda line: [line, line], "had its effect 2 times"),
    ("once", lambda line: [], "succeeded without its effect"),
    ("keyed", lambda line: [line, line | {"key": "another"}], "ran with the keys"),
    ("keyed", lambda line: [line, line | {"job": 99999}], "knows no such call"),
    ("reconcilable", lambda line: [line, line], "had its effect 2 times"),
    ("reconcilable", lambda line: [{"class": "question", "key": line["key"]}, line], "succeeded without its effect"),
    ("reconcilable", lambda line: [line, {"class": "question", "key": line["key"]}, line | {"questions": 1}],
     "had its effect 2 times"),
)
# What is done to the rows that database_write wrote, and a word of the violation.
_BOOKINGS = (
    ("INSERT INTO public.bookings SELECT min(word) FROM public.bookings", "succeeded, and is there 2 times"),
    ("DELETE FROM public.bookings WHERE word = (SELECT min(word) FROM public.bookings)",
     "succeeded, and is there 0 times"),
    ("INSERT INTO public.bookings VALUES ('by-nobody')", "no call made the booking by-nobody"),
    ("UPDATE ba.tool_calls SET state = 'failed' WHERE tool_name = 'database_write'", "failed, and is there 1 times"),
)
_LEDGER = (
    ("UPDATE ba.tool_calls SET state = 'failed' WHERE (job, round, step, idx) ="
     " (SELECT job, round, step, idx FROM ba.tool_calls WHERE tool_name = 'effect_keyed' LIMIT 1)", "call", "is failed"),
    ("UPDATE ba.jobs SET outcome = 'cancelled' WHERE tenant = 'tenant-1' AND job_id = 'job-0'",
     "tenant-1/job-0: finished, cancelled"),
    ("UPDATE ba.tool_calls SET message = replace(message::text, tool_call_id, 'other')::json WHERE (job, round, step,"
     " idx) = (SELECT job, round, step, idx FROM ba.tool_calls LIMIT 1)", "round", "is not due"),
    ("DELETE FROM ba.steps WHERE (job, round, step) = (SELECT job, round, step FROM ba.steps"
     " ORDER BY step DESC LIMIT 1)", "round", "it goes from"),
)
# Words of another tenant. What is done to the ledger, and what must be said of it.
_MIXED_ROWS = (
    ("UPDATE ba.rounds SET final_answer = 'zebra-job-0-0' WHERE job ="
     " (SELECT min(id) FROM ba.jobs WHERE tenant = 'tenant-0')", "a row of rounds of tenant-0 shows zebra-job-0-0"),
    ("UPDATE ba.outbox SET record_value = 'quokka-job-1-0' WHERE id ="
     " (SELECT min(id) FROM ba.outbox WHERE record_key LIKE 'tenant-2/%')",
     "a row of outbox of tenant-2 shows quokka-job-1-0"),
    ("UPDATE ba.intake_offsets SET topic_id = 'marmot-job-0-0' WHERE topic_partition = 0",
     "a row of intake_offsets of nobody shows marmot-job-0-0"),
)


def _must_say(found, *words):
    assert any(all(word in violation for word in words) for violation in found), f"not found: {words}, but {found}"


def _expect(installation, jobs, *words):
    """Of the verdict as a whole, which takes its time."""
    _must_say(Verdict(installation, jobs, False).violations, *words)


def _spoil_effects(installation, jobs):
    with open(installation.journal, encoding="utf-8") as file:
        good = [json.loads(line) for line in file]
    for effect, change, word in _EFFECTS:
        at = next(i for i, line in enumerate(good) if line["class"] == effect)
        spoilt = good[:at] + change(good[at]) + good[at + 1:]
        with open(installation.journal, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in spoilt)
        _must_say(Effects(installation).violations, word)
    _expect(installation, jobs, word)
    with open(installation.journal, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in good)


def _spoil_bookings(installation, jobs):
    """Each time from what is right."""
    url = installation.database.url
    psql(url, "CREATE TABLE public.good AS TABLE public.bookings; CREATE TABLE public.good_calls AS TABLE ba.tool_calls")
    for statement, word in _BOOKINGS:
        psql(url, statement)
        _must_say(Bookings(installation).violations, word)
        if statement is _BOOKINGS[0][0]:
            _expect(installation, jobs, word)
        psql(url, "TRUNCATE public.bookings, ba.tool_calls; INSERT INTO public.bookings TABLE public.good;"
                  "INSERT INTO ba.tool_calls TABLE public.good_calls")
    psql(url, "UPDATE ba.tool_calls SET state = 'unknown' WHERE tool_name = 'database_write'")
    assert not Bookings(installation).violations, "an unknown booking may be there"
    psql(url, "TRUNCATE ba.tool_calls; INSERT INTO ba.tool_calls TABLE public.good_calls;"
              "DROP TABLE public.good, public.good_calls")


def _spoil_skilled(installation, jobs):
    calls = "UPDATE ba.tool_calls SET {} WHERE tool_name = '{}'"
    url = installation.database.url
    (name, *_) = sorted(name for name in os.listdir(installation.files) if name.endswith(".txt"))
    path = os.path.join(installation.files, name)
    os.rename(path, path + ".away")
    _must_say(Skilled(installation).violations, f"the file {name}", "succeeded, and is None")
    _must_say(Skilled(installation).violations, f"no call wrote the file {name}.away")
    _expect(installation, jobs, f"the file {name}", "succeeded, and is None")
    os.rename(path + ".away", path)
    psql(url, "CREATE TABLE public.good_calls AS TABLE ba.tool_calls")
    for change, tool, word in (
            ("state = 'failed'", "file_write", "failed, and is 'kept"),
            ("parameters = replace(parameters, 'echo ', 'echo other ')", "execute_command", "a command of job"),
            ("state = 'succeeded'", "database_write", "that its skill forbids succeeded")):
        psql(url, calls.format(change, tool))
        _must_say(Skilled(installation).violations, word)
        psql(url, "TRUNCATE ba.tool_calls; INSERT INTO ba.tool_calls TABLE public.good_calls")
    psql(url, "DROP TABLE public.good_calls; CREATE TABLE public.brought AS TABLE ba.injected_messages;"
              "DELETE FROM ba.injected_messages WHERE message ->> 'type' = 'ai'")
    _must_say(Skilled(installation).violations, "brought 1 messages")
    psql(url, "TRUNCATE ba.injected_messages; INSERT INTO ba.injected_messages TABLE public.brought;"
              "DROP TABLE public.brought")
    assert not Skilled(installation).violations


def _spoil_versions(installation):
    url = installation.database.url
    assert not Versions(installation).changed
    psql(url, "UPDATE ba.incarnations SET version = 'another'")
    _must_say(Versions(installation).violations, "was finished by ['another'], its result says 0.0.1-crash")
    psql(url, "UPDATE ba.incarnations SET version = '0.0.1-crash'")


def _spoil_offsets(installation, jobs):
    """As a consumer would that commits what it has not stored."""
    (worker,) = installation.workers
    worker.terminate()
    worker.wait(20)
    group = confluent_kafka.Consumer({"bootstrap.servers": installation.stack.brokers,
                                      "group.id": installation.prefix, "log_level": 0})
    try:
        group.commit(offsets=[confluent_kafka.TopicPartition(installation.topics["jobs"], p, 1000)
                              for p in range(3)], asynchronous=False)
    finally:
        group.close()
    _expect(installation, jobs, "offset 1000 is committed")


def _spoil_words(installation, jobs):
    """As a worker would that mixes up its jobs. Of each topic, and of the tables."""
    for statement, sentence in _MIXED_ROWS:
        psql(installation.database.url, statement)
        _expect(installation, jobs, sentence)
    for topic in ("results", "metrics", "progress", "dead_letters"):
        record = {"tenant": "tenant-1", "job_id": "job-0", "outcome": "completed", "result_id": f"mixed on {topic}",
                  "answers": [{"text": "asked quokka-job-0-0, read zebra-job-0-0, before nothing"}]}
        installation.send([(b"tenant-1/job-0", json.dumps(record).encode(), [])], topic)
        _expect(installation, jobs, f"a record on {topic} of tenant-1 shows zebra-job-0-0")
    _expect(installation, jobs, "tenant-1/job-0 answers", "read zebra-job-0-0", "right is", "read quokka-job-0-0")
    swapped = [jobs[1], jobs[0], *jobs[2:]]  # both of one conversation: who came before is no longer so
    _expect(installation, swapped, "tenant-0/job-1 answers", "before marmot-job-0-0", "before nothing")
    longer = [jobs[0] | {"messages": [*jobs[0]["messages"], "effects marmot-job-0-1"]}, *jobs[1:]]
    follower = "tenant-0/job-1 answers"
    _must_say(Words(installation, longer).violations, follower, "before marmot-job-0-0", "before marmot-job-0-1")
    psql(installation.database.url,
         "UPDATE ba.jobs SET outcome = 'poisoned' WHERE tenant = 'tenant-0' AND job_id = 'job-0'")
    found = Words(installation, longer).violations  # it never asked its last question
    assert not any(follower in violation for violation in found), found


def _a_campaign_must_try_what_it_says():
    """What makes it fail although each of its runs is good."""
    def said(without_disk=False, refusal=None, recovery=(1.0,)):
        tally = Tally(without_disk)
        tally.disk_refusal, tally.recovery, tally.unmeasured = refusal, list(recovery), 2
        return tally.shortcomings(), "\n".join(tally.lines())

    found, lines = said()
    assert not found and "1 measured, 2 not" in lines, (found, lines)
    tally = Tally()
    tally.recovery, tally.faults["kill"] = [1.0], 200
    assert "no commands, cancel in 200 kills" in tally.shortcomings(), tally.shortcomings()
    (found,), lines = said(refusal="not allowed")
    assert "no disk could be filled: not allowed" in found and "NOT POSSIBLE HERE: not allowed" in lines, found
    found, lines = said(without_disk=True)
    assert not found and "left out: --without-disk" in lines, (found, lines)
    (found,), lines = said(recovery=())
    assert "recovery was not measured: of 2 kills" in found and "0 measured, 2 not" in lines, (found, lines)
    found, lines = said(recovery=(2.0, RECOVERY_MAX, RECOVERY_MAX + 5))
    assert not found and f"median {RECOVERY_MAX:.2f} s" in lines and "1 took longer" in lines, (found, lines)
    (found,), lines = said(recovery=(2.0, RECOVERY_MAX + 0.5, RECOVERY_MAX + 5))
    assert "recovery is too slow" in found and f"median {RECOVERY_MAX + 0.5:.2f} s" in found, found


def _a_slow_disk_is_slow(stack, installation):
    """A chance of one in 100,000 that it is not."""
    postgres = PostgresServer(stack)
    postgres.slow_down(400)
    try:
        began = time.monotonic()
        for number in range(5):
            psql(installation.database.url, f"CREATE TABLE public.slow_{number} ()")
    finally:
        postgres.speed_up()
    seconds = time.monotonic() - began
    assert seconds > 0.1, f"5 commits on a slow disk took {seconds:.3f} s"


def _a_job_that_nobody_takes_over_is_told(installation):
    (worker,) = installation.workers
    assert not jobs_never_taken_over(installation, [Kill(worker.name, 0)])
    psql(installation.database.url, "UPDATE ba.attempts SET ending = 'crashed'")
    (said,) = jobs_never_taken_over(installation, [Kill(worker.name, 0), Kill("another", 0)])
    assert worker.name in said, said
    psql(installation.database.url, "UPDATE ba.attempts SET ending = 'finished'")


def checks_find_what_is_wrong(stack, folder):
    _a_campaign_must_try_what_it_says()
    with Installation(stack, folder) as installation:
        installation.start_counting_worker()
        jobs = [make_job(tenant, i, "effects", 1) | {"conversation_id": "talk"}
                for tenant in TENANTS for i in range(NUMBERS)]
        each = len(jobs) + 1  # with the fork
        jobs += import_some(installation)
        installation.submit(jobs)
        installation.wait_for_results(len(jobs), 60)
        jobs.append(fork_one(installation, jobs[0]))
        installation.wait_for_results(len(jobs), 60)
        good = Verdict(installation, jobs, False)
        assert not good.violations, good.violations
        assert good.effects == {"keyed": 3 * each, "once": 3 * each, "pure": each, "reconcilable": each,
                                "booked": each, "noted": each}, good.effects
        assert good.skilled == {"files": each, "commands": each, "refused": each, "activations": each}, good.skilled
        assert good.forked == {"rounds kept": 1, "skills kept": 1, "with a history": 0}, good.forked
        _a_slow_disk_is_slow(stack, installation)
        _spoil_effects(installation, jobs)
        _spoil_bookings(installation, jobs)
        _spoil_skilled(installation, jobs)
        imports_are_checked(installation, jobs)
        forks_are_checked(installation, jobs)
        results_are_checked(installation)
        _spoil_versions(installation)
        fates_are_checked(installation)
        _spoil_offsets(installation, jobs)
        _a_job_that_nobody_takes_over_is_told(installation)
        for statement, *words in _LEDGER:
            psql(installation.database.url, statement)
            _expect(installation, jobs, *words)
        _spoil_words(installation, jobs)
