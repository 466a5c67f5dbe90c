# SPDX-License-Identifier: Apache-2.0
"""What is done to an installation, and when: drawn from a seed before it begins, so that the same seed
does the same again. How the processes run beside each other differs all the same."""

import dataclasses
import random

# Points at which a worker can kill itself: tests/support/crash_points.hpp.
CRASH_POINTS = ("intake_committed", "job_claimed", "model_in_flight", "reply_received", "reply_committed",
                "effect_done", "note_written", "cache_leads", "result_cached", "artifact_kept", "tool_finished",
                "step_committed", "summary_written", "sub_agent_begun", "sub_agent_ended", "job_finished", "batch_assigned",
                "batch_published", "shard_opened")

# Done to a worker, with weights.
WORKER_FAULTS = {"kill": 18, "pause": 4, "hiccup": 2, "drain": 4, "drain twice": 2, "kill all": 1}
# Done to servers and the network between. Each holds for a while and is healed before the next.
SERVER_FAULTS = {
    "postgres crash": 5, "postgres child killed": 2, "postgres sessions ended": 3, "postgres freeze": 2,
    "disk full": 2, "disk slow": 3, "broker crash": 2, "broker restart": 1, "broker freeze": 1, "rebalance storm": 2,
    "postgres cut": 2, "postgres cut mid-message": 3, "postgres held": 1, "postgres swallowed": 1,
    "postgres slow": 1, "kafka cut": 2, "kafka cut mid-message": 3, "kafka held": 1, "kafka swallowed": 1,
    "kafka slow": 1, "model cut": 1, "model cut mid-message": 2, "model held": 1, "model swallowed": 1,
}
SWARM_MIN = 4  # kinds of server faults of one run, at least
MIXED_BUILDS_SHARE = 0.2  # of the runs


@dataclasses.dataclass
class Fault:
    kind: str
    after: float  # seconds since the fault before
    hold: float  # seconds
    seed: int  # of what else is to be chosen


@dataclasses.dataclass
class Plan:
    """One run's. `arms` are the crash points of the workers in the order of their start, None for some."""

    seed: int
    workers: int
    mixed_builds: bool  # the release build takes turns with the crash build
    worker_faults: list
    server_faults: list
    arms: list
    version_changes: list  # after how many kills each
    deadly_jobs: int  # that end whoever works on them

    @property
    def kind_of_jobs(self):
        return "plain" if self.mixed_builds else "effects"

    def needs_small_disk(self):
        return any(fault.kind == "disk full" for fault in self.server_faults)

    def breaks_model(self):
        return any(fault.kind.startswith("model ") for fault in self.server_faults)


def _faults(chance, weights, count, after, hold):
    kinds = list(weights)
    return [Fault(chance.choices(kinds, [weights[kind] for kind in kinds])[0], chance.uniform(*after),
                  chance.uniform(*hold), chance.getrandbits(32)) for _ in range(count)]


def draw(seed, kills, servers, kinds_min=SWARM_MIN):
    """For about so many kills, those at crash points included. Of `servers`, kinds of server faults, some
    are drawn, at least `kinds_min`: a run with few kinds gets further with each."""
    chance = random.Random(f"{seed}/plan")
    chosen = chance.sample(servers, chance.randint(kinds_min, len(servers)))
    weights = {kind: SERVER_FAULTS[kind] for kind in chosen}
    arms = [f"{chance.choice(CRASH_POINTS)}:{chance.choice((1, 1, 2, 4))}" if chance.random() < 0.75 else None
            for _ in range(50 * kills)]
    mixed_builds = chance.random() < MIXED_BUILDS_SHARE
    return Plan(
        seed=seed, workers=chance.randint(2, 4), mixed_builds=mixed_builds,
        worker_faults=_faults(chance, WORKER_FAULTS, 50 * kills, (0.1, 0.8), (0.0, 0.0)),
        server_faults=_faults(chance, weights, 50 * kills, (0.1, 0.8), (0.2, 1.6)), arms=arms,
        version_changes=[int(kills * chance.uniform(*when)) for when in ((0.3, 0.5), (0.6, 0.8))],
        deadly_jobs=0 if mixed_builds else chance.choice((0, 0, 1, 2)))
