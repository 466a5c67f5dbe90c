# SPDX-License-Identifier: Apache-2.0
"""The workers of an installation, each in its place: whoever ends, however it ended, is replaced at once.
Used by one thread, which must live as long as the workers."""

import collections
import dataclasses
import random
import signal
import time

from installation import LEASE_SECONDS
from rig.processes import Process

SECOND_SIGNAL = 0.05  # seconds after the first
_KILLED, _SECOND_TERM = -signal.SIGKILL, 128 + signal.SIGTERM
_BUILDS = ("ba-agent", "ba-agent-crash")
VERSIONS = ("0.0.1-crash", "0.0.2-crash")  # of the same build
_OLDEST_SHARE = 0.6  # of the faults hit who has worked longest, so that there is time to get to work
_CHANGE_SECONDS = 0.3  # from one worker to the next


@dataclasses.dataclass
class Place:
    """Who works here, and which ends are expected of it."""

    worker: Process
    may_end_with: set
    armed: str | None
    number: int  # in the order of their start
    busy_until: float = 0.0  # paused or draining: left alone until then


@dataclasses.dataclass
class Kill:
    worker: str
    at: float  # wall clock


class Crew:
    """`arms` are the crash points of the workers to come; `mixed_builds` takes turns of two builds, otherwise
    all are of one version, but while it is being changed."""

    def __init__(self, installation, size, arms=(), mixed_builds=False):
        self.installation = installation
        self.counts = collections.Counter()
        self.kills = []
        self.violations = []
        self._arms = iter(arms)
        self._mixed_builds = mixed_builds
        self._started = 0
        self._version = 0  # of who comes next
        self._due = []  # (when, what), for what ends a pause
        self._places = [self._place() for _ in range(size)]

    def disarm(self):
        """From now on nobody dies by itself."""
        self._arms = iter(())
        self._finish_due()
        for place in self._places:
            if place.armed:
                self._end(place, "replaced")
        self.supervise()

    def _place(self):
        armed = next(self._arms, None)
        self._started += 1
        if self._mixed_builds:
            build = _BUILDS[self._started % 2]
            armed = armed if build == "ba-agent-crash" else None
            worker = self.installation.start_worker(armed, build)
        else:
            worker = self.installation.start_counting_worker(armed, version=VERSIONS[self._version])
        return Place(worker, {_KILLED} if armed else set(), armed, self._started)

    def supervise(self):
        """Ends pauses that are over and replaces the dead."""
        now = time.monotonic()
        for entry in [entry for entry in self._due if entry[0] <= now]:
            self._due.remove(entry)
            entry[1]()
        for i, place in enumerate(self._places):
            code = place.worker.exit_code
            if code is not None:
                self._note_end(place, code)
                self._places[i] = self._place()

    def _note_end(self, place, code):
        if code == _KILLED and "deadly tool" in place.worker.tail(100):
            self.counts["kill by a job"] += 1
            self.kills.append(Kill(place.worker.name, time.time()))
        elif code not in place.may_end_with:
            self.violations.append(f"{place.worker.name} ended by itself with {code}: {place.worker.tail()}")
        elif place.armed and "crash point" in place.worker.tail(2):
            self.counts["kill at a point"] += 1
            self.counts[f"at {place.armed.split(':')[0]}"] += 1
            self.kills.append(Kill(place.worker.name, time.time()))

    def _finish_due(self):
        for _, action in self._due:
            action()
        self._due = []

    def _later(self, seconds, action):
        self._due.append((time.monotonic() + seconds, action))

    def _end(self, place, word):
        """kill -9, now."""
        place.may_end_with.add(_KILLED)
        if place.worker.exit_code is None:
            place.worker.signal(signal.SIGKILL)
            self.counts[word] += 1
            place.armed = None
            self.kills.append(Kill(place.worker.name, time.time()))
            place.worker.wait(60)

    def inflict(self, fault):
        """One of plan.WORKER_FAULTS on a worker that is not paused already."""
        chance = random.Random(fault.seed)
        free = [p for p in self._places if p.busy_until <= time.monotonic() and p.worker.exit_code is None]
        if not free:
            return
        place = chance.choice(free)
        if chance.random() < _OLDEST_SHARE:
            place = min(free, key=lambda each: each.number)
        if fault.kind == "kill":
            self._end(place, "kill")
        elif fault.kind == "kill all":
            for each in free:
                self._end(each, "kill")
            self.counts["kill all"] += 1
        elif fault.kind in ("pause", "hiccup"):
            times = chance.uniform(1.1, 2.5) if fault.kind == "pause" else chance.uniform(0.2, 0.8)
            self._pause(place, times * LEASE_SECONDS)
            self.counts[fault.kind] += 1
        else:
            self._drain(place, twice=fault.kind == "drain twice")
            self.counts[fault.kind] += 1

    def _pause(self, place, seconds):
        place.worker.signal(signal.SIGSTOP)
        place.busy_until = time.monotonic() + seconds
        self._later(seconds, lambda: self._signal(place, signal.SIGCONT))

    def change_version(self, seed):
        """One worker after the other is drained or killed; who comes in its place is of the other version. The
        next change is the way back."""
        chance = random.Random(seed)
        self.counts["version change"] += 1
        self._version = 1 - self._version
        for i, place in enumerate(self._places):
            kill = chance.random() < 0.5
            self._later(i * _CHANGE_SECONDS, lambda place=place, kill=kill: self._retire(place, kill))

    def _retire(self, place, kill):
        """Unless it has been replaced already."""
        if place.worker.exit_code is not None:
            return
        if kill:
            self._end(place, "kill")
        else:
            self._drain(place, twice=False)

    def _drain(self, place, twice):
        again = 0 in place.may_end_with  # it drains already, for as long as its servers are away
        place.may_end_with |= {0, _SECOND_TERM} if twice or again else {0}
        # Before its handlers stand, the signal ends it as it ends any process.
        place.may_end_with.add(-signal.SIGTERM)
        place.busy_until = time.monotonic() + 3
        self._signal(place, signal.SIGTERM)
        if twice:
            self._later(SECOND_SIGNAL, lambda: self._signal(place, signal.SIGTERM))

    @staticmethod
    def _signal(place, number):
        if place.worker.exit_code is None:
            place.worker.signal(number)

    def kill_one(self, seed, is_busy):
        """For a measurement: kills somebody who is busy, and is replaced at the next supervise(). None when
        nobody is. Each stands still while it is looked at, so that it still is when it is killed."""
        for place in random.Random(seed).sample(self._places, len(self._places)):
            self._signal(place, signal.SIGSTOP)
            if is_busy(place.worker):
                self._end(place, "kill")
                return self.kills[-1]
            self._signal(place, signal.SIGCONT)
        return None
