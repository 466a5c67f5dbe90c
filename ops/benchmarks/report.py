# SPDX-License-Identifier: Apache-2.0
"""Figures as JSON for programs and as Markdown for people."""

import json
import os
import platform

from rig.accounting import memory_gib_of_machine
from rig.stack import ROOT

FOLDER = os.environ.get("BA_BENCH_DIR") or os.path.join(ROOT, "build/bench")


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor(), "cores": os.cpu_count(),
        "memory_gib": round(memory_gib_of_machine(), 1), "kernel": platform.release(),
        "load_before": round(os.getloadavg()[0], 2),
    }


def machine_line(machine_data):
    return (f"{machine_data['cpu']}, {machine_data['cores']} cores, {machine_data['memory_gib']} GiB, load"
            f" {machine_data['load_before']} before.\n")


def table(rows):
    """Markdown; the first row is the head."""
    head, *body = [[str(cell) for cell in row] for row in rows]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def write(name, data, markdown):
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, f"{name}.json"), "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.write("\n")
    with open(os.path.join(FOLDER, f"{name}.md"), "w", encoding="utf-8") as file:
        file.write(markdown)
    print(markdown)
    folder = os.path.relpath(FOLDER, ROOT)
    print(f"written: {folder}/{name}.json, {folder}/{name}.md")
