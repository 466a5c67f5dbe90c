# SPDX-License-Identifier: Apache-2.0
"""The figures of `ops/bench economy` as Markdown."""

import json

from benchmarks import report
from benchmarks.economy_bill import PRICES
from benchmarks.economy_saving import TOLERANCE
from benchmarks.plain_loop import OBSERVATION_BYTES_MAX

_TITLES = {"plain": "plain loop", "former": "former defaults", "worker": "worker"}
GOAL = 0.5


def markdown(data):
    prices = ", ".join(f"{kind.replace('_', ' ')} {price}" for kind, price in PRICES.items())
    changed = json.dumps(data["options"]["settings"])
    note = f" The worker not by its defaults, but with `{changed}`." if data["options"]["settings"] else ""
    return (f"# What a job is billed\n\nPrices: dollars per million tokens, {prices}. Tokens and cache as the scripted model reports"
            f" them over\nAnthropic's protocol; the ledger has the same sums.{note}\n\nDollars of a job:\n\n{_summary(data)}\n{_bills(data, 'bill')}\n{_goal(data, 'bill')}\n\n"
            "The same calls where the provider's cache outlives a job (five minutes, from marked beginnings of 1,024 tokens on):\n\n"
            f"{_bills(data, 'shared')}\n{_goal(data, 'shared')}\n\n{_saved(data)}\n\nRows that stood in what the model was sent, and statements that the database ran:\n\n"
            f"{_rows(data)}\nThe plain loop cuts a result at {OBSERVATION_BYTES_MAX // 1024} KiB. Of the table of 20,000 rows the"
            " others show the beginning;\nin reach is what an artifact has of it, too. Every model asks for the mean"
            f" next.\n{_refused(data)}")


def _ratio(workload, name, kind):
    """Of the plain loop's bill; None where the variant has no figure."""
    return 1.0 if name == "plain" else workload["variants"][name].get("ratio", {}).get(kind)


def _share(ratio):
    return "no figure" if ratio is None else f"{ratio:.2f}"


def _summary(data):
    rows = [("a job", "calls", *_TITLES.values(), "worker / plain loop", "… with a cache that outlives jobs")]
    for workload in data["workloads"]:
        bills = {name: workload["variants"][name]["bill"] for name in _TITLES}
        rows.append((workload["name"], f"{bills['worker']['calls'] / workload['jobs']:.0f}",
                     *(f"{bill['micro_usd'] / workload['jobs'] / 1e6:.4f}" for bill in bills.values()),
                     *(_share(_ratio(workload, "worker", kind)) for kind in ("bill", "shared"))))
    return report.table(rows)


def _bills(data, kind):
    rows = [("workload, a job of it", "who", "calls", "input", "from cache", "to cache", "output", "dollars", "of the plain loop's")]
    for workload in data["workloads"]:
        for name, title in _TITLES.items():
            bill, ratio = workload["variants"][name][kind], _ratio(workload, name, kind)
            of_job = {key: value / workload["jobs"] for key, value in bill.items()}
            tokens = (f"{of_job[key]:,.0f}" for key in ("input", "cache_read", "cache_write", "output"))
            rows.append((workload["name"] if name == "plain" else "", title, f"{of_job['calls']:.0f}", *tokens,
                         f"{of_job['micro_usd'] / 1e6:.5f}", _share(ratio)))
    return report.table(rows)


def _goal(data, kind):
    ratios = {workload["name"]: _ratio(workload, "worker", kind) for workload in data["workloads"]}
    above = [f"{name} ({_share(ratio)})" for name, ratio in ratios.items()
             if ratio is None or ratio > GOAL]
    return (f"At most half of the plain loop's bill: {len(ratios) - len(above)} of {len(ratios)} workloads"
            + (f"; above: {', '.join(above)}." if above else "."))


def _saved(data):
    rows = [("a job of the worker's", "saved by its report", "plain loop's bill − its own", f"agree within {TOLERANCE:.0%} of the plain loop's")]
    for workload in data["workloads"]:
        saved = workload["variants"]["worker"].get("saved")
        dollars = [f"{saved[kind] / workload['jobs'] / 1e6:.5f}" for kind in ("told_micro_usd", "billed_micro_usd")] if saved else []
        rows.append((workload["name"], *(dollars or ("no figure",) * 2), ("yes" if saved["agree"] else "no") if saved else ""))
    return f"Dollars saved:\n\n{report.table(rows)}"


def _rows(data):
    rows = [("workload", "rows asked for", *(f"seen, {title}" for title in _TITLES.values()),
             "in reach of the worker's", *(f"run, {title}" for title in _TITLES.values()))]
    for workload in data["workloads"]:
        variants = workload["variants"]
        rows.append((workload["name"], f"{workload['rows']:,}", *(f"{variants[name]['rows_seen']:,}" for name in _TITLES),
                     f"{variants['worker']['rows_in_reach']:,}",
                     *(f"{variants[name]['queries_run']:,}" for name in _TITLES)))
    return report.table(rows)


def _refused(data):
    lines = [f"- {workload['name']}, {_TITLES[name]}: {one['why_none']}\n" for workload in data["workloads"]
             for name, one in workload["variants"].items() if one.get("why_none")]
    return "\nWithout a figure:\n\n" + "".join(lines) if lines else ""
