# SPDX-License-Identifier: Apache-2.0
"""What a conversation in flight takes of the heap, by kind; see ops/bench --help."""

import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from rig.stack import ROOT

_PROGRAM = "build/release/conversation_memory_test"
_KINDS = {"running_job": "a job that runs: state, runner, view of its history",
          "tools_of_an_agent": "the tools of its agent, which all its jobs share",
          "model_call_anthropic": "its model call, anthropic", "model_call_openai_chat": "the same, openai_chat",
          "model_call_openai_responses": "the same, openai_responses",
          "request_queued": "its HTTP request, in the queue",
          "request_in_flight": "the same, in flight", "request_in_flight_tls": "the same, in flight over TLS"}


def measure():
    """Bytes by kind. The program is a test: it fails where one is beyond its bound."""
    ran = subprocess.run([os.path.join(ROOT, _PROGRAM)], cwd=ROOT, check=False, capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"{_PROGRAM} ended with {ran.returncode}: {ran.stdout}{ran.stderr}")
    told = [line.split() for line in ran.stdout.splitlines() if line.startswith("memory ")]
    found = {kind: int(count) for _, kind, count in told}
    if set(found) != set(_KINDS):
        raise SystemExit(f"{_PROGRAM} told of other kinds: {sorted(found)}")
    return found


def sums(kinds):
    """A conversation whose model answers, and one that waits for its turn."""
    job = kinds["running_job"] + kinds["model_call_anthropic"]
    return {"waiting": job + kinds["request_queued"], "in_flight": job + kinds["request_in_flight"],
            "in_flight_tls": job + kinds["request_in_flight_tls"]}


def markdown(data):
    rows = [("kind", "bytes each")] + [(title, f"{data['kinds'][kind]:,}") for kind, title in _KINDS.items()]
    rows += [("**a conversation that waits for its model's turn**", f"{data['sums']['waiting']:,}"),
             ("**one whose request is in flight**", f"{data['sums']['in_flight']:,}"),
             ("**the same over TLS**", f"{data['sums']['in_flight_tls']:,}")]
    return ("# Memory of a conversation\n\nBytes of the heap for each of many, beside its history and the body of its"
            " request. The agent has 20 tools.\n\n" + report.table(rows))


def main():
    argparse.ArgumentParser(prog="ops/bench memory").parse_args()
    data = {"benchmark": "memory", "machine": report.machine(), "kinds": measure()}
    data["sums"] = sums(data["kinds"])
    report.write("memory", data, markdown(data))


if __name__ == "__main__":
    main()
