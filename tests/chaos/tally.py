# SPDX-License-Identifier: Apache-2.0
"""What a campaign amounted to: counts, times of recovery, and what it was to try but could not."""

import collections
import statistics

import plan as plans
from chaos_run import RECOVERY_MAX
from installation import LEASE_SECONDS

KILLS = ("kill", "kill at a point", "kill by a job")
_USUAL_KILLS = 200  # a campaign of as many comes to all of _OFTEN
_OFTEN = ("commands, cancel", "commands, pause", "commands, resume", "effects, booked", "effects, noted",
          "effects, reconcilable", "jobs begun by one version, ended by another", "cancelled", "sub-agents that went on",
          "answers of the cache", "answers of the cache, made by another job", "artifacts, kept", "artifacts, read", "skills, activations",
          "skills, files", "skills, commands", "skills, refused", "imports, done", "imports, killed", "imports, repeated",
          "forks, done", "forks, too early", "forks, skills kept", "forks, with a history")


class Tally:
    """All runs together. `faults` are the counts of faults; `disk_refusal` says why no disk could be filled,
    None where one could; `without_disk`: none was to be."""

    def __init__(self, without_disk=False):
        self.faults = collections.Counter()
        self.recovery = []
        self.unmeasured = 0  # kills meant for a measurement of the recovery that gave none
        self.disk_refusal = None
        self._without_disk = without_disk
        self._sums = collections.Counter()
        self._healed_after = []

    @property
    def kills(self):
        return sum(self.faults[kind] for kind in KILLS)

    @property
    def fills_disks(self):
        return not self._without_disk and self.disk_refusal is None

    def add(self, run):
        self.faults += run.counts
        self.recovery += run.recovery
        self.unmeasured += run.unmeasured
        self._healed_after.append(run.healed_after)
        self._sums["connections reset"] += run.resets
        if run.verdict:
            self._sums.update(jobs=run.verdict.jobs, paid=run.verdict.paid, wasted=run.verdict.wasted,
                              crashes=run.verdict.crashes, unknown=run.verdict.unknown)
            self._sums.update(cancelled=run.verdict.cancelled, poisoned=run.verdict.poisoned)
            self._sums["sub-agents"] += run.verdict.sub_agents
            self._sums["sub-agents that went on"] += run.verdict.sub_agents_went_on
            self._sums.update(run.commands)
            self._sums["imports, messages"] += run.verdict.imported
            self._sums.update({f"forks, {k}": n for k, n in run.verdict.forked.items()})
            self._sums["answers of the cache"] += run.verdict.kept["hits"]
            self._sums["answers of the cache, made by another job"] += run.verdict.kept["of_others"]
            self._sums["artifacts, kept"] += run.verdict.kept["kept"]
            self._sums["artifacts, read"] += run.verdict.kept["read"]
            self._sums["jobs begun by one version, ended by another"] += run.verdict.version_changed
            self._sums.update({f"summaries, {k}": n for k, n in run.verdict.summaries.items()})
            self._sums.update({f"skills, {k}": n for k, n in run.verdict.skilled.items()})
            self._sums.update({f"effects, {k}": n for k, n in run.verdict.effects.items()})

    def shortcomings(self):
        """What makes a campaign fail in which every run was good: it did not try what it says it tries."""
        found = []
        if self.disk_refusal is not None and not self._without_disk:
            found.append(f"no disk could be filled: {self.disk_refusal}; run it with the right to mount a tmpfs,"
                         " or with --without-disk")
        if self.kills >= _USUAL_KILLS:
            found += [f"no {name} in {self.kills} kills" for name in _OFTEN if not self._sums[name]]
        if not self.recovery:
            found.append(f"recovery was not measured: of {self.unmeasured} kills none met a job to take over")
        elif statistics.median(self.recovery) > RECOVERY_MAX:
            found.append(f"recovery is too slow: {self._recovery_line()}")
        return found

    def lines(self):
        """The summary."""
        yield "\nfault                        times"
        for kind in (*KILLS, *[k for k in plans.WORKER_FAULTS if k != "kill"], "version change", *plans.SERVER_FAULTS):
            yield f"{kind:<28} {self.faults[kind]:5d}{self._note(kind)}"
        points = ", ".join(f"{p} {self.faults['at ' + p]}" for p in plans.CRASH_POINTS)
        yield f"\nkills at points: {points}"
        yield ", ".join(f"{name} {count}" for name, count in sorted(self._sums.items()))
        yield self._recovery_line()
        if self._healed_after:
            yield f"all jobs ended {max(self._healed_after):.1f} s after the last fault at most"

    def _note(self, kind):
        if kind != "disk full" or self.fills_disks:
            return ""
        return "  left out: --without-disk" if self._without_disk else f"  NOT POSSIBLE HERE: {self.disk_refusal}"

    def _recovery_line(self):
        missed = f"{len(self.recovery)} measured, {self.unmeasured} not"
        if not self.recovery:
            return f"recovery: {missed}"
        sorted_ = sorted(self.recovery)
        p99 = sorted_[min(len(sorted_) - 1, int(len(sorted_) * 0.99))]
        later = sum(1 for seconds in sorted_ if seconds > RECOVERY_MAX)
        return (f"recovery, kill to first durable step of a taken-over job, {missed}: median"
                f" {statistics.median(sorted_):.2f} s, 99 % {p99:.2f} s, max {sorted_[-1]:.2f} s; lease"
                f" {LEASE_SECONDS} s, allowed {RECOVERY_MAX} s in the median, {later} took longer")
