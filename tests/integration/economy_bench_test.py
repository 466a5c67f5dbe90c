# SPDX-License-Identifier: Apache-2.0
"""`ops/bench economy` on the stack of the tests: who is billed what, and when there is no figure. What it counts by, too:
rows in any encoding, and a prompt cache that outlives a job."""

import json
import os
import subprocess
import sys

from benchmarks.economy_bill import PRICES, Bill, SharedPromptCache, bill_of, shared_bill
from benchmarks.economy_variants import stands_in
from benchmarks.paid_calls import usage_of
from case import Case
from rig.stack import ROOT

# Whatever the defaults are.
WHOLE = {"tools": {"encoding": "compact", "settings": {"query_database": {"default_level": "full"}}}}
CUT = {"tools": {"encoding": "json", "settings": {"query_database": {"default_level": "standard"}}}}
TABLES = ("table of 12 rows", "table of 200 rows")
LARGE = "table of 20,000 rows"


def measured(lab, settings, tables=TABLES):
    """By workload, and what was printed."""
    only = [argument for name in tables for argument in ("--only", name)]
    ran = subprocess.run(
        [sys.executable, os.path.join(ROOT, "ops/benchmarks/economy.py"), *only, "--settings", json.dumps(settings)],
        check=False, capture_output=True, encoding="utf-8", env={**os.environ, "BA_BENCH_DIR": lab.folder})
    assert ran.returncode == 0, ran.stderr
    with open(os.path.join(lab.folder, "economy.json"), encoding="utf-8") as file:
        return {workload["name"]: workload for workload in json.load(file)["workloads"]}, ran.stdout


def dollars(bill):
    return sum(bill[kind] * price for kind, price in PRICES.items())


def a_worker_is_billed_less_than_a_plain_loop(lab):
    workloads, text = measured(lab, WHOLE)
    assert set(workloads) == set(TABLES), workloads
    for name, workload in workloads.items():
        variants = workload["variants"]
        assert f"| {name} | plain loop |" in text, text
        for one in variants.values():
            assert one["rows_seen"] == one["rows_in_reach"] == workload["rows"] > 0, (name, variants)
            for kind in ("bill", "shared"):
                assert abs(one[kind]["micro_usd"] - dollars(one[kind])) <= 1, (name, one)
        plain, former, worker = (variants[who] for who in ("plain", "former", "worker"))
        assert plain["bill"]["cache_read"] == plain["bill"]["cache_write"] == 0 and plain["shared"] == plain["bill"], plain
        assert plain["bill"]["calls"] == worker["bill"]["calls"] == 2 * workload["jobs"], variants
        assert former["bill"]["calls"] == 3 * workload["jobs"], former
        assert worker["ratio"]["bill"] < 0.8, worker
        # The jobs run at once: where each asks before any has its reply, there is nothing to share, and shares of bytes
        # stand for the tokens.
        assert worker["ratio"]["shared"] < 1.03 * worker["ratio"]["bill"], worker
        assert worker["bill"]["micro_usd"] < former["bill"]["micro_usd"], variants
        assert worker["saved"]["agree"] and worker["saved"]["told_micro_usd"] > 0, worker


def of_a_large_table_every_row_is_in_reach(lab):
    workloads, _ = measured(lab, {}, (LARGE,))
    worker, plain = (workloads[LARGE]["variants"][who] for who in ("worker", "plain"))
    assert worker["rows_in_reach"] == workloads[LARGE]["rows"] > 20000, workloads
    assert worker["rows_in_reach"] >= plain["rows_seen"] > 0 and "ratio" in worker, workloads


def rows_that_nobody_saw_give_no_figure(lab):
    workloads, text = measured(lab, CUT)
    for name, workload in workloads.items():
        worker = workload["variants"]["worker"]
        assert "ratio" not in worker and worker["why_none"].startswith("other answers: "), worker
        assert worker["rows_seen"] < workload["rows"], worker
        assert f"- {name}, worker: other answers: " in text, text


def a_row_is_seen_in_any_encoding(_lab):
    row = {"carrier": "9E", "flights": 17416, "late": 16.0, "early": -2.5}
    for text in ('[{"carrier": "9E",\n "flights": 17416,\n "late": 16.0,\n "early": -2.5}]',
                 '{"carrier":"9E","flights":17416,"late":16,"early":-2.50}',
                 '[1]{carrier,flights,late,early}:\n  "9E",17416,16.0,-2.5',
                 "- carrier: 9E\n  flights: 17416\n  late: 16.0\n  early: -2.5"):
        assert stands_in(row, text), text
    for text in ('[1]{carrier,flights,late,early}:\n  "9E",17416,16.0', '"9E",1741,16.0,-2.5', '"9E",17416,16.3,-2.5', "",
                 '"9E",17416,AA,16.0,-2.5', '"9E",17416,16.0,-2.51', '"99E",17416,16.0,-2.5'):
        assert not stands_in(row, text), text


def asked(question, mark=True, system="s" * 5000):
    last = {"type": "text", "text": question}
    return {"system": [{"type": "text", "text": system, **({"cache_control": {"type": "ephemeral"}} if mark else {})}],
            "messages": [{"role": "user", "content": [{**last, "cache_control": {"type": "ephemeral"}} if mark else last]}]}


def a_shared_prompt_cache_reads_what_was_marked(_lab):
    cache = SharedPromptCache()
    read, written, ends = cache.look(asked("one"))
    assert read == 0 and written == 1, (read, written)
    assert cache.look(asked("two"))[0] == 0, "read before there was a reply"
    cache.keep(ends)
    read, written, _ = cache.look(asked("two"))
    assert 0.9 < read < 1 and abs(read + written - 1) < 1e-9, (read, written)
    assert cache.look(asked("one"))[:2] == (1, 0)
    assert cache.look(asked("one", mark=False))[:2] == (0, 0)
    assert cache.look(asked("one", system="t" * 5000))[0] == 0
    short = SharedPromptCache()
    assert short.look(asked("one", system="s" * 3000)) == (0, 0, [])


def a_bill_is_what_the_reply_says(_lab):
    usage = {"input_tokens": 10, "cache_read_input_tokens": 2000, "cache_creation_input_tokens": 300, "output_tokens": 7}
    bill = bill_of(usage)
    assert bill == Bill(1, 10, 2000, 300, 7) and bill.read == 2310, bill
    assert abs(bill.micro_usd - (10 * 3 + 2000 * 0.3 + 300 * 3.75 + 7 * 15)) < 1e-6, bill.micro_usd
    assert shared_bill(bill, 0.5, 0.25) == Bill(1, 577, 1155, 578, 7), shared_bill(bill, 0.5, 0.25)
    start = {"type": "message_start", "message": {"usage": {**usage, "output_tokens": 1}}}
    end = {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 7}}
    stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in (start, end))
    assert usage_of(stream.encode()) == usage_of(json.dumps({"usage": usage}).encode()) == usage


CASES = [Case("economy: a worker is billed less than a plain loop", a_worker_is_billed_less_than_a_plain_loop),
         Case("economy: of a large table every row is in reach", of_a_large_table_every_row_is_in_reach),
         Case("economy: rows that nobody saw give no figure", rows_that_nobody_saw_give_no_figure),
         Case("economy: a row is seen in any encoding", a_row_is_seen_in_any_encoding),
         Case("economy: a shared prompt cache reads what was marked", a_shared_prompt_cache_reads_what_was_marked),
         Case("economy: a bill is what the reply says", a_bill_is_what_the_reply_says)]
