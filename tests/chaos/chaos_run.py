# SPDX-License-Identifier: Apache-2.0
"""One run: an installation, its faults as planned, the healing, the verdict."""

import collections
import threading
import time

from control import Control
from crew import Crew
from forker import Forker
from importer import Importer
from installation import ATTEMPTS_MAX, LEASE_SECONDS, Installation
from load import Load
from server_faults import ServerFaults
from verdict import Verdict, jobs_never_taken_over, met_no_job, recovery_seconds

# An idle machine needs a sixth of each of these: a verdict must not hang on what else the machine does.
LIVENESS_SECONDS = 600  # from the end of all faults to the last result
RECOVERY_MAX = LEASE_SECONDS + 12  # for half of all kills
_RECOVERY_LATEST = LEASE_SECONDS + 120  # for each: later than this, the job was stuck
_JOBS_FIRST = 24  # in the ledger before anybody is killed at random
_MEASURED_KILLS = 3
_MEASURING_SECONDS = 360
_DEADLY_ATTEMPTS_MAX = 8  # where there are jobs that end their workers: fewer, so that they end, too


class ServerTrack:
    """The server faults of a plan, one after the other, in a thread of its own until stop()."""

    def __init__(self, faults, plan):
        self.counts = collections.Counter()
        self.problem = None
        self._faults = faults
        self._plan = plan
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="server faults")
        self._thread.start()

    def _run(self):
        try:
            for fault in self._plan:
                if self._over.wait(fault.after):
                    return
                self._faults.inflict(fault)
                self.counts[fault.kind] += 1
        except Exception as error:  # pylint: disable=broad-exception-caught
            self.problem = error

    def wanting(self, counts):
        """Whether some of these have not been done so often yet."""
        return self.problem is None and any(self.counts[kind] < count for kind, count in counts.items())

    def stop(self):
        """Returns when the fault at work is healed."""
        self._over.set()
        self._thread.join()
        if self.problem:
            raise AssertionError(f"a server fault could not be done or healed: {self.problem}") from self.problem


def _finish(crew, *tasks):
    """Until each of these has returned, with the dead replaced meanwhile."""
    waiter = {}

    def finish():
        try:
            for task in tasks:
                task()
        except Exception as error:  # pylint: disable=broad-exception-caught
            waiter["problem"] = error

    thread = threading.Thread(target=finish, name="finish")
    thread.start()
    while thread.is_alive():
        crew.supervise()
        time.sleep(0.02)
    if "problem" in waiter:
        raise AssertionError(f"not alive after healing: {waiter['problem']}") from waiter["problem"]


class ChaosRun:
    """After run(): `counts` of the faults, `violations`, `recovery` in seconds, `verdict`. `unmeasured` are
    the kills that were to show the recovery and didn't: nobody was busy, or its job had just ended."""

    def __init__(self, stack, postgres, plan, folder, small_disk=None):
        self.plan = plan
        self.counts = collections.Counter()
        self.violations = []
        self.recovery = []
        self.unmeasured = _MEASURED_KILLS
        self.verdict = None
        self.healed_after = 0.0
        self.resets = 0  # connections that the proxies cut
        self._postgres = postgres
        self._small_disk = small_disk if plan.needs_small_disk() else None
        self.commands = collections.Counter()  # of people, by what came of them
        self._installation = Installation(
            stack, folder, tablespace=self._small_disk.name if self._small_disk else None,
            attempts_max=_DEADLY_ATTEMPTS_MAX if plan.deadly_jobs else ATTEMPTS_MAX)

    def run(self, kills):
        with self._installation as installation:
            load = Load(installation, self.plan.seed, self.plan.kind_of_jobs)
            control = Control(installation, self.plan.seed)
            people = (control, Importer(installation, load, self.plan.seed), Forker(installation, load, self.plan.seed))
            crew = Crew(installation, self.plan.workers, self.plan.arms, self.plan.mixed_builds)
            try:
                load.submit_deadly(self.plan.deadly_jobs)
                for person in people:
                    person.start()
                self._disturb(load, crew, kills)
                _finish(crew, *(person.finish for person in people))
                measured = self._measure_recovery(crew)
                began = time.monotonic()
                _finish(crew, lambda: load.finish(LIVENESS_SECONDS))
                self.healed_after = time.monotonic() - began
            finally:
                for person in people:
                    person.close()
                    self.commands.update({f"{person.name}, {what}": n for what, n in person.counts.items()})
                    self.violations += person.violations
                load.close()
                self.counts += crew.counts
                self.violations += crew.violations
            self._judge(load.jobs, control.cancelled, measured)

    def _disturb(self, load, crew, kills):
        installation = self._installation
        track = None
        try:
            load.start()
            self._await_intake(crew)
            track = ServerTrack(ServerFaults(installation, self._postgres, self._small_disk),
                                self.plan.server_faults)
            changes = list(self.plan.version_changes)
            for fault in self.plan.worker_faults:
                if changes and len(crew.kills) >= changes[0]:
                    crew.change_version(f"{self.plan.seed}/version {changes.pop(0)}")
                pause_until = time.monotonic() + fault.after
                while time.monotonic() < pause_until:
                    crew.supervise()
                    time.sleep(0.01)
                if len(crew.kills) >= kills or crew.violations:
                    break
                crew.inflict(fault)
        finally:
            if track:
                track.stop()
                self.counts += track.counts
            installation.heal_network()
            self.resets = sum(proxy.cuts for proxy in installation.proxies.values())
            crew.disarm()

    def _await_intake(self, crew):
        """Workers and servers that die faster than the sessions of the group end read little: something is there
        before any server is broken."""
        until = time.monotonic() + LIVENESS_SECONDS
        taken_in = "SELECT count(*) AS n FROM jobs WHERE parent IS NULL"
        while (self._installation.database.try_value(taken_in) or 0) < _JOBS_FIRST:
            assert time.monotonic() < until, f"no jobs are taken in: {self._installation.explain()}"
            crew.supervise()
            time.sleep(0.05)

    def _measure_recovery(self, crew):
        """Kills with nothing else broken, and jobs to take over."""
        self._await_deadly_jobs(crew)
        kills = []
        until = time.monotonic() + _MEASURING_SECONDS
        while len(kills) < _MEASURED_KILLS and time.monotonic() < until:
            crew.supervise()
            kill = crew.kill_one(f"{self.plan.seed}/measured {len(kills)}", self._is_busy)
            if kill:
                kills.append(kill)
                self._await_recovery(crew, kill)
            else:
                time.sleep(0.05)
        return kills

    def _await_deadly_jobs(self, crew):
        """They end who takes over from another, too."""
        until = time.monotonic() + LIVENESS_SECONDS
        left = "SELECT count(*) AS n FROM jobs WHERE starts_with(job_id, 'deadly') AND state <> 'finished'"
        while self._installation.database.try_value(left) != 0:
            assert time.monotonic() < until, f"deadly jobs don't end: {self._installation.explain()}"
            crew.supervise()
            time.sleep(0.1)

    def _is_busy(self, worker):
        return self._installation.database.try_value(
            "SELECT count(*) AS n FROM jobs j JOIN incarnations i ON i.id = j.incarnation"
            f" WHERE j.state = 'running' AND i.state = 'alive' AND i.pid = {worker.pid}")

    def _await_recovery(self, crew, kill):
        until = time.monotonic() + _RECOVERY_LATEST + 1
        while time.monotonic() < until and recovery_seconds(self._installation, [kill]) == [None]:
            if met_no_job(self._installation, kill):
                return
            crew.supervise()
            time.sleep(0.1)

    def _judge(self, jobs, cancelled, measured):
        self.verdict = Verdict(self._installation, jobs, self.plan.breaks_model(), cancelled)
        self.violations += self.verdict.violations
        seconds = recovery_seconds(self._installation, measured)
        self.recovery = [s for s in seconds if s is not None]
        self.unmeasured = _MEASURED_KILLS - len(self.recovery)
        unseen = [kill for kill, s in zip(measured, seconds) if s is None]
        self.violations += jobs_never_taken_over(self._installation, unseen)
        self.violations += [f"the first step of a taken-over job came {s:.1f} s after the kill, at most"
                            f" {_RECOVERY_LATEST} s is right" for s in self.recovery if s > _RECOVERY_LATEST]
