# SPDX-License-Identifier: Apache-2.0
"""What `ops/bench all` runs, in its order, and which figures of each stand in its table beside their targets. A benchmark
that is added to this folder is added here: its name, its program, and its figures by where they are in its JSON."""

import dataclasses
from typing import Callable

# Floors: small programs that do nothing but the plumbing of a round, measured on two cores of an AMD EPYC, µs of CPU:
# HTTP client 40, its server 19, a SELECT in one message 14 and 24, three durable steps in groups of 64 rounds 2 and 26,
# Kafka 15 by estimate. Other machines have others; the ratio says how much of a round isn't plumbing.
FLOOR_OF_A_ROUND_US = 140
FLOOR_OF_THE_WORKER_US = 58  # HTTP 40, query 14, ledger 4
FLOOR_NOTE = "floor: the bare plumbing of a round, in constants"


@dataclasses.dataclass
class Figure:
    """`value` takes the benchmark's JSON. Without a target the figure is only shown."""

    title: str
    value: Callable[[dict], float]
    unit: str = ""
    target: float | None = None
    stretch: float | None = None
    more_is_better: bool = False
    against: Callable[[dict], str] = lambda data: ""  # what it is held against, as a ratio
    digits: int = 0

    def met(self, value):
        return value >= self.target if self.more_is_better else value <= self.target


@dataclasses.dataclass
class Benchmark:
    """`arguments` are those of `ops/bench all`, `quick` those that only try whether it works."""

    name: str
    figures: tuple = ()
    program: str = ""  # in this folder; NAME.py without
    arguments: tuple = ()
    quick: tuple = ()
    python: str = "tests"  # the part of ops/setup whose Python runs it

    @property
    def file(self):
        return self.program or f"{self.name}.py"


def _floor(value, floor):
    return lambda data: f"×{value(data) / floor:.1f} the floor"


def _beside_peer(peer):
    def text(data):
        own = data["figures"][peer]
        return f"{peer}: {own['steps_per_s']:.0f} steps/s, {own['cpu_us_per_step']['total']:.0f} µs"
    return text


def _of_pgbench(data):
    return f"×{data['best']['ratio_to_peer']:.2f} the commits of pgbench"


def _total_cpu(data):
    return data["best"]["cpu_us_per_round"]["total"]


def _worker_cpu(data):
    return data["best"]["cpu_us_per_round"]["worker"]


def _tokens(part, figure):
    """The slower vocabulary's."""
    return lambda data: min(one[figure] for results in data["results"].values() for one in results["parts"]
                            if one["name"] == part)


def _slowest_megabyte(data):
    return min(one["warm_mb_s"] for results in data["results"].values() for one in results["whole"])


def _beside_tiktoken(part):
    return lambda data: f"×{_tokens(part, 'ratio')(data):.1f} tiktoken"


def _late_in(data):
    return data["figures"]["places"][-1]


def _slowest_claim(slots):
    """Of 1,000 tenants with 100 jobs each, wherever among the tenants it begins."""
    def value(data):
        (size,) = (one for one in data["sizes"] if (one["tenants"], one["jobs"]) == (1000, 100))
        return max(one["ms"] for name, one in size["figures"].items() if name.startswith(f"claim of {slots},"))
    return value


def _slowest_when_aged(data):
    return max(one["ratio"] for one in data["figures"]["statements"])


_PEERS = ("LangGraph.js", "DBOS", "Restate")

BENCHMARKS = (
    Benchmark("rounds", (
        Figure("durable rounds per second", lambda data: data["best"]["rounds_per_s"], "/s", 3000, 4000, True, _of_pgbench),
        Figure("CPU a round, all processes", _total_cpu, "µs", 520, 400, against=_floor(_total_cpu, FLOOR_OF_A_ROUND_US)),
        Figure("CPU a round, worker", _worker_cpu, "µs", 250, 180, against=_floor(_worker_cpu, FLOOR_OF_THE_WORKER_US)),
        Figure("WAL a round", lambda data: data["best"]["wal_bytes_per_round"], "bytes"),
    ), arguments=("--repeat", "5"), quick=("--seconds", "2")),
    Benchmark("peers", tuple(
        Figure(f"steps per second, against {peer}", lambda data, peer=peer: data["figures"][peer]["ours_faster"], "×",
               against=_beside_peer(peer), more_is_better=True, digits=1) for peer in _PEERS
    ) + tuple(
        Figure(f"CPU a step, {peer} against ours", lambda data, peer=peer: data["figures"][peer]["ours_less_cpu"], "×",
               more_is_better=True, digits=1) for peer in _PEERS
    ), quick=("--seconds", "2", "--repeat", "1")),
    Benchmark("conversations", (
        Figure("conversations in flight", lambda data: data["figures"]["connections"], "", 10_000 * 0.98, 50_000, True),
        Figure("a reply is late by, 99 %", lambda data: data["figures"]["late_ms"]["p99"], "ms", 50),
        Figure("memory of a conversation", lambda data: data["figures"]["kib_per_conversation"], "KiB", 20, digits=1),
    ), arguments=("--count", "10000"), quick=("--count", "200", "--seconds", "4", "--job-rounds", "2")),
    Benchmark("history", (
        Figure("CPU of the worker late in a conversation, a round", lambda data: _late_in(data)["worker_us_per_round"], "µs",
               900, against=lambda data: f"around round {_late_in(data)['round']}"),
    ), quick=("--conversations", "2", "--places", "24", "60")),
    Benchmark("stored", (
        Figure("bytes stored of 60 rounds with 2-KB results", lambda data: data["figures"]["stored_bytes"], "bytes", 130_000,
               60_000, against=lambda data: f"LangGraph stores 8,990,000 (constant): ×{8.99e6 / data['figures']['stored_bytes']:.0f}"),
        Figure("bytes of WAL of 60 rounds with 2-KB results", lambda data: data["figures"]["wal_bytes"], "bytes"),
    ), quick=("--conversations", "2")),
    Benchmark("workers", (
        Figure("two workers on one ledger: rounds for the same CPU", lambda data: data["figures"]["efficiency_by_cpu"], "×",
               0.95, more_is_better=True, digits=2,
               against=lambda data: f"rounds in the same time ×{data['figures']['ratio_of_rates']:.2f}"),
    ), quick=("--seconds", "2", "--pairs", "1")),
    Benchmark("remote", tuple(
        Figure(f"rounds with {ms} ms more in each direction, for the same cores",
               lambda data, ms=ms: data["figures"][ms]["rate"]["value"], "×", 0.9, more_is_better=True, digits=2,
               against=lambda data, ms=ms: f"CPU a round ×{data['figures'][ms]['cpu']['value']:.2f}") for ms in ("1", "5")
    ), quick=("--seconds", "2", "--repeat", "1")),
    Benchmark("results", (
        Figure("results exactly once per second, of many that wait", lambda data: data["figures"]["backlog_per_s"], "/s", 10_000,
               more_is_better=True, against=lambda data: "one Kafka transaction per result: about 100 (constant)"),
        Figure("a result is visible after, 99 %", lambda data: data["figures"]["visible_ms"]["p99"], "ms", 150,
               against=lambda data: f"at {data['figures']['steady_per_s']:,.0f} a second; the target is at 10,000"),
    ), quick=("--per-second", "1000", "--seconds", "2", "--backlog", "5000")),
    Benchmark("start", (
        Figure("start to the first job taken", lambda data: data["figures"]["first_job"], "s", 1, digits=2),
    ), quick=("--repeat", "1")),
    Benchmark("recovery", (
        Figure("after kill -9 and the lease, jobs run again", lambda data: data["figures"]["seconds_after_lease"], "s", 2,
               digits=2, against=lambda data: f"lease {data['lease_seconds']} s"),
    ), quick=("--repeat", "1")),
    Benchmark("tokens", (
        Figure("tokens counted, mix, warm", _tokens("all of them", "warm_mb_s"), "MB/s", 150, 300, True,
               _beside_tiktoken("all of them")),
        Figure("tokens counted, mix, cold", _tokens("all of them", "first_mb_s"), "MB/s", 80, None, True),
        Figure("tokens counted, Chinese, Japanese, Korean", _tokens("Chinese, Japanese, Korean", "warm_mb_s"), "MB/s", 100,
               None, True, _beside_tiktoken("Chinese, Japanese, Korean")),
        Figure("tokens counted, a megabyte without a break", _slowest_megabyte, "MB/s", 20, None, True),
    ), "token_counts.py", quick=("--megabytes", "2"), python="tokens"),
    Benchmark("claims", tuple(
        Figure(f"claim with 1,000 tenants and 100,000 jobs that wait, {slots} slots", _slowest_claim(slots), "ms", most, digits=1)
        for slots, most in ((8, 5), (256, 20)))),
    Benchmark("memory", (
        Figure("heap of a conversation whose request is in flight", lambda data: data["sums"]["in_flight"], "bytes", 20 * 1024),
        Figure("heap of a conversation that waits", lambda data: data["sums"]["waiting"], "bytes", 4 * 1024),
    )),
    # The last one with servers: it has PostgreSQL count statements from then on.
    Benchmark("aged", (
        Figure("a statement after 1,000,000 finished jobs, against before, the worst", _slowest_when_aged, "×", 1.2, digits=2,
               against=lambda data: f"{data['figures']['jobs']:,} jobs, {data['figures']['bytes'] / 1e9:.1f} GB"),
    ), quick=("--jobs", "5000", "--seconds", "2", "--warm-up-seconds", "3")),
)

# Targets that no program of this folder measures, and where they show.
ELSEWHERE = (
    ("memory under load for hours: no growth", "`ops/bench soak`, two hours"),
    ("first build for the demo ≤ 7 min, an edit to a green test ≤ 30 s", "a clean machine"),
    ("whole test suite ≤ 20 min", "`ops/test` prints the time of each level"),
    ("violated invariants, lost or doubled results: 0", "`ops/simulate`, `ops/chaos`, `ops/hunt`"),
)
