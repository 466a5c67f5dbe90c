# SPDX-License-Identifier: Apache-2.0
"""The crash matrix: a worker stands still at a named point, the first or the second time it gets there;
something is broken exactly then; everything must still hold. Writes crash_matrix.md once every cell was run
with the same program, be it in several runs."""

import argparse
import dataclasses
import hashlib
import itertools
import json
import os
import shutil
import signal
import sys
import time
import traceback

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "ops"), HERE]

# pylint: disable=wrong-import-position
from installation import EFFECT_BUILD, Installation
from plan import CRASH_POINTS
from rig.postgres_server import PostgresServer
from rig.stack import Stack, program
from rig.waiting import wait_until
from verdict import Verdict
from words import make_job

LOGS = os.path.join(ROOT, "build/chaos/matrix")
TABLE = os.path.join(HERE, "crash_matrix.md")
# The network last: from then on a call may be recorded as wasted that nobody received.
FAULTS = ("kill", "pause", "database down", "broker down", "connections cut")
TIMES = (1, 2)
OUTAGE_SECONDS = 0.7
ENDS_WITHIN = 90
_JOBS_MAX = 8  # for a worker to come to its point
NOT_RUN = "not run"
JOBS_OF_A_TALK = {"summary_written": _JOBS_MAX}  # a history must grow before it is summed up; else two
MODEL_MS = {"model_in_flight": 300}  # the point is 0.1 s after the request was sent


@dataclasses.dataclass
class Cell:
    point: str
    fault: str
    time: int
    result: str = NOT_RUN
    holds: bool = False


def _stands_still(worker):
    assert worker.exit_code is None, f"{worker.name} ended with {worker.exit_code}: {worker.tail()}"
    with open(f"/proc/{worker.pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0] == "T"


class Table:
    """The cells of one point, in one installation as long as all goes well."""

    def __init__(self, stack, postgres, point, results):
        self.stack = stack
        self.results = results
        self.postgres = postgres
        self.point = point
        self.folder = os.path.join(LOGS, f"{point}-{os.getpid()}")
        self.jobs = []
        self.wasted = self.unknown = 0
        self.installation = None

    def run(self, cells):
        """Up to the first that goes wrong; the others keep the result that they have."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with Installation(self.stack, self.folder, MODEL_MS.get(self.point, 0)) as self.installation:
            for cell in cells:
                began = time.monotonic()
                try:
                    self._run_cell(cell)
                    cell.holds = True
                except AssertionError as error:
                    cell.result = "VIOLATED"
                    self._note(cell, error)
                except Exception as error:  # pylint: disable=broad-exception-caught
                    cell.result = "NOT TRIED"
                    self._note(cell, error)
                self.results.add(cell)
                print(f"{'ok    ' if cell.holds else 'FAILED'} {cell.point}, {cell.fault}, time {cell.time}:"
                      f" {cell.result} ({time.monotonic() - began:.1f} s)", flush=True)
                if not cell.holds:
                    return

    def _note(self, cell, error):
        """Here and in a file."""
        problem = "".join(traceback.format_exception(error))
        name = f"failure-{cell.fault.replace(' ', '-')}-{cell.time}.txt"
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(problem)
        print("       " + problem.replace("\n", "\n       ") + f"logs: {self.folder}", flush=True)

    def _run_cell(self, cell):
        installation = self.installation
        victim = installation.start_counting_worker(f"{cell.point}:{cell.time}", stop=True)
        workers = [victim]
        try:
            self._submit_until_still(victim)
            workers += self._inflict(cell.fault, victim)
            installation.wait_for_results(len(self.jobs), ENDS_WITHIN)
            if cell.fault != "kill":
                assert victim.exit_code is None, f"{victim.name} ended by itself: {victim.tail()}"
            self._judge(cell)
        finally:
            for worker in workers:
                if worker.exit_code is None:
                    worker.kill()

    def _submit_until_still(self, victim):
        """Two jobs of one conversation, as a rule: only one runs at a time, and each point comes twice. But a batch
        may hold what both of them left: then two more are needed."""
        for _ in range(_JOBS_MAX):
            self._submit_one(victim)
            if len(self.jobs) % 2:
                continue
            wait_until(lambda: _stands_still(victim) or self._all_is_published(), 60,
                       lambda: f"all is published: {victim.tail()}")
            if _stands_still(victim):
                return
        raise RuntimeError(f"{self.point} was not reached by {_JOBS_MAX} jobs: {victim.tail()}")

    def _submit_one(self, victim):
        number = len(self.jobs)
        job = make_job("tenant-0", number, "effects", 2) | {"conversation_id": f"talk-{number // JOBS_OF_A_TALK.get(self.point, 2)}"}
        self.jobs.append(job)
        self.installation.submit([job])
        taken_in = "SELECT count(*) AS n FROM jobs WHERE parent IS NULL"
        wait_until(lambda: _stands_still(victim) or self.installation.database.value(taken_in) == len(self.jobs), 60,
                   lambda: f"the job is taken in: {victim.tail()}")

    def _all_is_published(self):
        return not self.installation.database.value(
            "SELECT (SELECT count(*) FROM jobs WHERE state <> 'finished')"
            " + (SELECT count(*) FROM outbox WHERE published_at IS NULL) AS n")

    def _inflict(self, fault, victim):
        """With the victim at its point. The workers that were started for it."""
        if fault == "kill":
            victim.kill()
            return [self.installation.start_counting_worker()]
        if fault == "pause":
            return self._pause(victim)
        if fault == "connections cut":
            for proxy in self.installation.proxies.values():
                proxy.cut(1.0, seed=0)
            victim.signal(signal.SIGCONT)
            return []
        if fault == "database down":
            self.postgres.stop_at_once()
            self._go_on_without(victim)
            self.postgres.start()
        else:
            os.kill(self.stack.pid("kafka"), signal.SIGKILL)
            self._go_on_without(victim)
            self.stack.restart("kafka", kill=True)
        return []

    @staticmethod
    def _go_on_without(victim):
        victim.signal(signal.SIGCONT)
        time.sleep(OUTAGE_SECONDS)

    def _pause(self, victim):
        """Until others have declared it dead and taken its jobs."""
        other = self.installation.start_counting_worker()
        dead = f"SELECT count(*) AS n FROM incarnations WHERE pid = {victim.pid} AND state = 'dead'"
        wait_until(lambda: self.installation.database.value(dead), 30, other.tail)
        victim.signal(signal.SIGCONT)
        return [other]

    def _judge(self, cell):
        verdict = Verdict(self.installation, self.jobs, requests_lost=cell.fault == "connections cut")
        assert not verdict.violations, "\n".join(verdict.violations)
        wasted, unknown = verdict.wasted - self.wasted, verdict.unknown - self.unknown
        self.wasted, self.unknown = verdict.wasted, verdict.unknown
        remarks = [f"{count} {word}" for count, word in ((wasted, "wasted"), (unknown, "unknown")) if count]
        cell.result = "holds" + (f" ({', '.join(remarks)})" if remarks else "")


class Results:
    """What is known of the built program's cells, from this run and from earlier ones that did only some."""

    def __init__(self):
        with open(program(EFFECT_BUILD), "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        self._file = os.path.join(LOGS, f"results-{digest[:12]}.jsonl")

    def add(self, cell):
        os.makedirs(LOGS, exist_ok=True)
        with open(self._file, "a", encoding="utf-8") as file:
            file.write(json.dumps(dataclasses.asdict(cell)) + "\n")

    def table(self):
        """Every cell there is, as it was last run."""
        cells = {(point, fault, nth): Cell(point, fault, nth)
                 for point in CRASH_POINTS for fault in FAULTS for nth in TIMES}
        with open(self._file, encoding="utf-8") as file:
            for cell in (Cell(**json.loads(line)) for line in file):
                cells[cell.point, cell.fault, cell.time] = cell
        return list(cells.values())


def _run_point(stack, postgres, results, point, cells):
    """In a new installation after each cell that went wrong."""
    left = list(cells)
    while left:
        try:
            Table(stack, postgres, point, results).run(left)
        except Exception:  # pylint: disable=broad-exception-caught
            traceback.print_exc()
        left = [cell for cell in left if cell.result == NOT_RUN] if left[0].result != NOT_RUN else left[1:]


def _markdown(cells):
    by_key = {(cell.point, cell.time, cell.fault): cell for cell in cells}
    lines = [
        "# Crash matrix", "",
        "Written by `ops/chaos matrix`; every cell is a run of real processes. A worker stands still at the",
        "named point (`tests/support/crash_points.hpp`) the first or the second time it gets there. Then it is",
        "killed, or paused until others have taken its jobs. Or it goes on without its database, its broker, or",
        "any of its connections. *holds*: every check of `verdict.py` does. *wasted*: model calls that may have",
        "been paid for twice, each of them recorded. *unknown*: calls of a `once` tool that are reported so.", "",
        "| point | time | " + " | ".join(FAULTS) + " |", "| --- | --- |" + " --- |" * len(FAULTS)]
    for point, nth in itertools.product(CRASH_POINTS, TIMES):
        row = [by_key[(point, nth, fault)].result for fault in FAULTS]
        lines.append(f"| `{point}` | {nth} | " + " | ".join(row) + " |")
    held = sum(cell.holds for cell in cells)
    return "\n".join([*lines, "", f"{held} of {len(cells)} cells hold.", ""])


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parser = argparse.ArgumentParser(prog="ops/chaos matrix")
    parser.add_argument("points", nargs="*", metavar="POINT", help="only these")
    parser.add_argument("--fault", action="append", choices=FAULTS, help="only this")
    options = parser.parse_args()
    unknown = set(options.points) - set(CRASH_POINTS)
    if unknown:
        parser.error(f"no such points: {sorted(unknown)}; there are {', '.join(CRASH_POINTS)}")
    stack = Stack()
    postgres = PostgresServer(stack)
    results = Results()
    cells = [Cell(point, fault, nth) for point in options.points or CRASH_POINTS
             for fault in options.fault or FAULTS for nth in TIMES]
    for point, group in itertools.groupby(cells, lambda cell: cell.point):
        _run_point(stack, postgres, results, point, group)
    table = results.table()
    missing = sum(cell.result == NOT_RUN for cell in table)
    if missing:
        print(f"{missing} of {len(table)} cells are not run yet with this program: the table is not written")
    else:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(_markdown(table))
        print(f"written: {os.path.relpath(TABLE, ROOT)}")
    held = sum(cell.holds for cell in cells)
    print(f"{held} passed, {len(cells) - held} failed")
    return 0 if held == len(cells) else 1


if __name__ == "__main__":
    sys.exit(main())
