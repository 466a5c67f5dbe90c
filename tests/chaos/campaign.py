# SPDX-License-Identifier: Apache-2.0
"""Runs until so many kills are done; see ops/chaos --help. Ends with the line "N passed, N failed", a
run being what is counted."""

import argparse
import os
import random
import shutil
import signal
import sys
import time
import traceback

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "ops"), HERE]

# pylint: disable=wrong-import-position
import plan as plans
from chaos_run import ChaosRun
from checker_test import checks_find_what_is_wrong
from rig.postgres_server import PostgresServer, SmallDisk
from rig.stack import Stack
from set_back import database_is_set_back
from tally import KILLS, Tally

LOGS = os.path.join(ROOT, "build/chaos")
KILLS_OF_A_RUN = 40
# Each is done once and has its own way; the first shows that the checks of all others find what is wrong.
SCENES = {"checks": checks_find_what_is_wrong, "set-back": database_is_set_back}
FAILED_MAX = 5  # failed runs after which no other begins
_SHOWN = 10  # violations of a run, and lines of each; all are in failure.txt
CRASHES = {"postgres": ("postgres crash", "postgres child killed"), "broker": ("broker crash",)}


class Campaign:
    """All runs and scenes together."""

    def __init__(self, options):
        self.options = options
        self.tally = Tally(options.without_disk)
        self.failed_seeds = []
        self.runs = self.scenes = self.scenes_failed = 0
        self._stack = Stack()
        self._postgres = PostgresServer(self._stack)
        self._disk = None
        self._began = time.monotonic()

    def close(self):
        if self._disk:
            self._disk.close()

    def _crashes_missing(self):
        """Kinds of server faults that have not been done often enough."""
        wanted = {"postgres": self.options.postgres_crashes, "broker": self.options.broker_crashes}
        return [kind for server, kinds in CRASHES.items() for kind in kinds
                if sum(self.tally.faults[k] for k in kinds) < wanted[server]]

    def _enough(self):
        """Crashes that are missing apart."""
        if self.options.minutes is not None:
            return self.runs > 0 and time.monotonic() - self._began > 60 * self.options.minutes
        if self.options.runs is not None:
            return self.runs >= self.options.runs
        return self.tally.kills >= self.options.kills

    def _next_plan(self, seed):
        """None when all is done."""
        if len(self.failed_seeds) >= FAILED_MAX:
            return None
        possible = [kind for kind in plans.SERVER_FAULTS if kind != "disk full" or self.tally.fills_disks]
        if not self._enough():
            return plans.draw(seed, KILLS_OF_A_RUN, possible)
        missing = self._crashes_missing()
        return plans.draw(seed, KILLS_OF_A_RUN, missing, kinds_min=len(missing)) if missing else None

    def play(self, name):
        """One of SCENES."""
        folder = os.path.join(LOGS, name)
        shutil.rmtree(folder, ignore_errors=True)
        began = time.monotonic()
        problem = None
        try:
            SCENES[name](self._stack, folder)
        except Exception as error:  # pylint: disable=broad-exception-caught
            problem = "".join(traceback.format_exception(error))
        self.scenes += 1
        self.scenes_failed += problem is not None
        print(f"{'FAILED' if problem else 'ok    '} {name} ({time.monotonic() - began:.0f} s)", flush=True)
        if problem:
            self._tell(folder, [problem])

    def run_all(self):
        if not self.options.without_disk:
            self._disk = SmallDisk(self._postgres, f"small_{os.getpid()}")
            self.tally.disk_refusal = self._disk.refusal
        while plan := self._next_plan(self.options.seed + self.runs):
            self.runs += 1
            self._run_one(plan)

    def _run_one(self, plan):
        folder = os.path.join(LOGS, f"seed-{plan.seed}")
        shutil.rmtree(folder, ignore_errors=True)
        began = time.monotonic()
        run = ChaosRun(self._stack, self._postgres, plan, folder, self._disk)
        problem = None
        try:
            run.run(KILLS_OF_A_RUN)
        except Exception as error:  # pylint: disable=broad-exception-caught
            problem = "".join(traceback.format_exception(error))
        self.tally.add(run)
        bad = run.violations + ([problem] if problem else [])
        if bad:
            self.failed_seeds.append(plan.seed)
        elif not self.options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        self._print_run(run, bad, time.monotonic() - began, folder)

    def _print_run(self, run, bad, seconds, folder):
        kills = sum(run.counts[kind] for kind in KILLS)
        servers = ", ".join(f"{kind} {run.counts[kind]}" for kind in plans.SERVER_FAULTS if run.counts[kind])
        jobs = run.verdict.jobs if run.verdict else 0
        slowest = f", taken over after {max(run.recovery):.1f} s at most" if run.recovery else ""
        slowest += f", {run.unmeasured} recoveries not measured" if run.unmeasured else ""
        print(f"{'FAILED' if bad else 'ok    '} seed {run.plan.seed}: {kills} kills, {jobs} jobs; {servers}{slowest}"
              f" ({seconds:.0f} s; {self.tally.kills} kills in all)", flush=True)
        if bad:
            self._tell(folder, bad)
            print(f"       again: ops/chaos --runs 1 --seed {run.plan.seed}", flush=True)

    @staticmethod
    def _tell(folder, bad):
        """Some of it here, all of it in a file."""
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "failure.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(bad) + "\n")
        for text in bad[:_SHOWN]:
            lines = text.strip().split("\n")
            print("       " + "\n       ".join(line[:400] for line in lines[-_SHOWN:]), flush=True)
        print(f"       logs: {folder}", flush=True)


def parse():
    parser = argparse.ArgumentParser(prog="ops/chaos")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1_000_000) * 1000)
    parser.add_argument("--postgres-crashes", type=int, default=0)
    parser.add_argument("--broker-crashes", type=int, default=0)
    parser.add_argument("--scene", action="append", choices=SCENES, default=[])
    parser.add_argument("--without-disk", action="store_true")
    parser.add_argument("--keep", action="store_true")
    return parser.parse_args()


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options = parse()
    print(f"seed {options.seed}", flush=True)
    campaign = Campaign(options)
    try:
        for scene in options.scene:
            campaign.play(scene)
        campaign.run_all()
    finally:
        if campaign.runs:
            print("\n".join(campaign.tally.lines()))
        campaign.close()
    missing = campaign.tally.shortcomings() if campaign.runs else []
    done = campaign.runs + campaign.scenes + len(missing)
    failed = len(campaign.failed_seeds) + campaign.scenes_failed + len(missing)
    if campaign.failed_seeds:
        print(f"failed seeds: {campaign.failed_seeds}; logs: {LOGS}")
    for text in missing:
        print(f"FAILED {text}")
    print(f"{done - failed} passed, {failed} failed")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
