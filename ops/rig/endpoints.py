# SPDX-License-Identifier: Apache-2.0
"""What a worker serves over HTTP; `http.enabled` is off unless a test switches it on."""

import re
import urllib.error
import urllib.request

from .waiting import wait_until


def _port(worker):
    """The one that the log names."""
    with open(worker.log, encoding="utf-8", errors="replace") as file:
        found = re.search(r'"port":(\d+)', file.read())
    return found and found.group(1)


def address(worker):
    """Where it serves, as HOST:PORT, once it does."""
    return f"127.0.0.1:{wait_until(lambda: _port(worker), 20, worker.tail)}"


def read(worker, path):
    """Status and body, once it serves."""
    try:
        with urllib.request.urlopen(f"http://{address(worker)}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def metric(worker, name):
    """The value of one sample of /metrics, by its name with its labels; None when there is no such."""
    lines = read(worker, "/metrics")[1].splitlines()
    return next((float(line[len(name) + 1:]) for line in lines if line.startswith(name + " ")), None)
