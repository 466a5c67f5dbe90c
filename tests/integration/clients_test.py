# SPDX-License-Identifier: Apache-2.0
"""The stock client of tests/clients against a worker."""

import functools
import os
import subprocess
import sys

from case import Case
from rig.stack import ROOT, kafka_login

CLIENT = os.path.join(ROOT, "tests/clients/stock_client_test.py")
JOBS, REPEATED = 20, 5


def stock_client(encoding, lab):
    """Every form of a job, some sent twice; the client itself checks its results."""
    with lab.deployment({"kafka": {"publisher": {"encoding": encoding}}}) as deployment:
        deployment.start_worker()
        login = os.path.join(lab.folder, "client.json")
        deployment.write_private(login, kafka_login())
        run = subprocess.run(
            [sys.executable, CLIENT, "--brokers", lab.stack.brokers, "--client-config", login,
             "--topic", deployment.topics["jobs"], "--result-topic", deployment.topics["results"], "--jobs", str(JOBS), "--duplicates",
             str(REPEATED), "--message", "bench question", "--encoding", encoding, "--timeout", "90"],
            capture_output=True, text=True, check=False, timeout=150)
        assert run.returncode == 0, f"{run.stdout}{run.stderr}{deployment.explain()}"


CASES = [Case(f"a stock client sends jobs and reads each result once, as {encoding}",
              functools.partial(stock_client, encoding)) for encoding in ("json", "protobuf")]
