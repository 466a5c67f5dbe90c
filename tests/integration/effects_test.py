# SPDX-License-Identifier: Apache-2.0
"""database_write from the whole program: a job books something in a database of its own, and whatever is
killed around the call, the booking is there exactly once and the job has one result."""

import contextlib
import functools
import json
import os
import signal
import subprocess

from case import Case
from rig.database import connection, psql, with_database
from rig.exactness import Exactness
from rig.postgres_server import PostgresServer
from rig.stack import ROOT
from rig.waiting import wait_until

SIGKILLED = -9
SCRIPT = r"""
entries:
  - when: {regex: 'book (\w+)'}
    then:
      - tool_calls:
          - {name: database_write, args: {sql: "INSERT INTO bookings (job) VALUES ('{{match.1}}')"}}
      - {text: '{{observation.-1}}'}
"""
BOOKED = "1 row inserted into bookings"


class Shop:
    """A context: the database that the model may write to."""

    def __init__(self, lab):
        self.name = f"shop_{os.path.basename(lab.folder).replace('-', '_')}"[:50] + f"_{os.getpid()}"
        self.url = lab.stack.database_url(self.name)
        self._admin_url = lab.stack.postgres_url

    def __enter__(self):
        psql(self._admin_url, f'CREATE DATABASE "{self.name}"')
        owner = psql(self.url, "SELECT current_user").strip()
        with open(os.path.join(ROOT, "config/effects_table.sql"), encoding="utf-8") as file:
            psql(self.url, f"\\set writer {owner}\n{file.read()}CREATE TABLE bookings (job text);")
        return self

    def __exit__(self, *_exception):
        psql(self._admin_url, f"""
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = '{self.name}' AND usename = current_user;
            DROP DATABASE "{self.name}";""")

    def settings(self):
        source = {"name": "shop", "url": self.url, "tables": ["bookings"], "description": "bookings(job)",
                  "lock_timeout_ms": 30000}
        return {"agents": {"default": {"permission": "admin"}},
                "tools": {"database_write": {"data_sources": [source]}, "retry": {"initial_delay_ms": 100}}}

    def bookings(self):
        return psql(self.url, "SELECT job FROM bookings ORDER BY job").split()

    def waiting(self):
        """Process ids of the writes that wait for a lock."""
        return psql(self.url, "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                              " AND wait_event_type = 'Lock'").split()

    @contextlib.contextmanager
    def locked(self):
        """Nobody can write bookings meanwhile."""
        with subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-f", "-"], env=connection(self.url),
                              text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as session:
            try:
                session.stdin.write("BEGIN; LOCK TABLE bookings IN EXCLUSIVE MODE;\n\\echo locked\n")
                session.stdin.flush()
                assert session.stdout.readline() == "locked\n"
                yield
            finally:
                session.stdin.close()  # which ends it


@contextlib.contextmanager
def installation(lab):
    script = os.path.join(lab.folder, "script.yaml")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    with Shop(lab) as shop, lab.deployment(shop.settings(), scripts=[script]) as deployment:
        yield shop, deployment


def job(name):
    return {"tenant": "rig", "job_id": name, "messages": [f"book {name}"]}


def expect_booked(shop, deployment, jobs):
    deployment.wait_for_results(len(jobs), 60)
    Exactness(deployment, jobs).expect_good()
    names = sorted(one["job_id"] for one in jobs)
    assert shop.bookings() == names, f"bookings {shop.bookings()}, jobs {names}"
    states = deployment.database.rows("SELECT DISTINCT state FROM tool_calls")
    assert states == [{"state": "succeeded"}], states
    answers = deployment.database.rows("SELECT DISTINCT final_answer FROM rounds")
    assert all(BOOKED in row["final_answer"] for row in answers), answers


def killed_at(point, lab):
    jobs = [job("a"), job("b")]
    with installation(lab) as (shop, deployment):
        worker = deployment.start_worker(crash_at=point)
        deployment.submit(jobs)
        code = worker.wait(60)
        assert code == SIGKILLED, f"exit code {code}, not killed at {point}: {worker.tail()}"
        deployment.start_worker()
        expect_booked(shop, deployment, jobs)


def killed_during_the_write(lab):
    jobs = [job("a")]
    with installation(lab) as (shop, deployment):
        with shop.locked():
            worker = deployment.start_worker()
            deployment.submit(jobs)
            wait_until(shop.waiting, 60, worker.tail)
            worker.kill()
        deployment.start_worker()
        expect_booked(shop, deployment, jobs)


def taken_over_during_the_write(lab):
    """The first run still holds the key when the second one comes."""
    jobs = [job("a")]
    with installation(lab) as (shop, deployment):
        with shop.locked():
            first = deployment.start_worker()
            deployment.submit(jobs)
            wait_until(shop.waiting, 60, first.tail)
            second = deployment.start_worker()
            first.signal(signal.SIGSTOP)  # SIGSTOP: its session stays, its lease doesn't
            wait_until(lambda: len(shop.waiting()) == 2, 60, second.tail)
        wait_until(lambda: deployment.finished() == 1, 60, deployment.explain)
        first.signal(signal.SIGCONT)
        expect_booked(shop, deployment, jobs)


def connection_cut_during_the_write(lab):
    jobs = [job("a")]
    with installation(lab) as (shop, deployment):
        with shop.locked():
            worker = deployment.start_worker()
            deployment.submit(jobs)
            (pid,) = wait_until(shop.waiting, 60, worker.tail)
            psql(shop.url, f"SELECT pg_terminate_backend({pid})")
        expect_booked(shop, deployment, jobs)


def where_nobody_has_functions_with_side_effects(lab):
    """The database of a reader to whom PUBLIC's functions were taken, as doctor asks: a role with the rights of
    effects_table.sql writes there."""
    with Shop(lab) as shop:
        admin_url = with_database(PostgresServer(lab.stack).admin_url, shop.name)
        with open(os.path.join(ROOT, "ops/data/reader.sql"), encoding="utf-8") as file:
            psql(admin_url, file.read())
        with open(os.path.join(ROOT, "config/effects_table.sql"), encoding="utf-8") as file:
            psql(shop.url, f"\\set writer ba_reader\n{file.read()}GRANT INSERT ON bookings TO ba_reader;")
        # The role's transactions only read, by its operator's will; where it writes, the address says so.
        shop.url = with_database(lab.stack.analytics_url, shop.name)
        shop.url += ("&" if "?" in shop.url else "?") + "options=-c%20default_transaction_read_only%3Doff"
        insert = json.dumps({"sql": "INSERT INTO bookings (job) VALUES ('a')"})
        with lab.deployment(shop.settings()) as deployment:
            checks = {check["name"]: check for check in json.loads(deployment.run("doctor", "--json"))["checks"]}
            assert checks["writing to shop"]["status"] == "PASS", checks
            out = deployment.run("tool", "run", "database_write", insert)
            assert BOOKED in out, out


CASES = [
    Case("database_write where nobody has functions with side effects",
         where_nobody_has_functions_with_side_effects),
    *(Case(f"database_write, kill -9 at {point}", functools.partial(killed_at, point))
      for point in ("reply_received", "reply_committed", "tool_finished", "tool_finished:2", "job_finished")),
    Case("database_write, kill -9 while it waits for a lock", killed_during_the_write),
    Case("database_write, another worker while it waits for a lock", taken_over_during_the_write),
    Case("database_write, its connection cut while it waits for a lock", connection_cut_during_the_write),
]
