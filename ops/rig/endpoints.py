# SPDX-License-Identifier: Apache-2.0
"""What a worker serves over HTTP; `http.enabled` is off unless a test switches it on."""

import re
import urllib.error
import urllib.request


def read(worker, path):
    """Status and body; the port is the one that the log names."""
    port = re.search(r'"port":(\d+)', worker.tail(1000)).group(1)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()
