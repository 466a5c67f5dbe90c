# SPDX-License-Identifier: Apache-2.0
"""A peer on the same server: pgbench, one durable row per transaction."""

import os
import re
import subprocess

from rig.accounting import cpu_seconds
from rig.database import connection, psql

_PGBENCH = "/usr/lib/postgresql/15/bin/pgbench"
CLIENTS = 8
_ROW_BYTES = 500
_SETUP = "CREATE TABLE IF NOT EXISTS peer (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text)"
_SCRIPT = f"INSERT INTO peer (body) VALUES (lpad(:client_id || '-' || random()::text, {_ROW_BYTES}, 'x'));\n"


def single_row_commits(url, folder, seconds, postgres_pid):
    """Commits per second, and PostgreSQL's CPU time for each in microseconds."""
    psql(url, _SETUP)
    script = os.path.join(folder, "peer.sql")
    with open(script, "w", encoding="utf-8") as file:
        file.write(_SCRIPT)
    before = cpu_seconds(postgres_pid)
    run = subprocess.run(
        [_PGBENCH, "-n", "-M", "prepared", "-c", str(CLIENTS), "-j", "2", "-T", str(seconds),
         "-f", script],
        env=connection(url), check=True, capture_output=True, text=True)
    used = cpu_seconds(postgres_pid) - before
    commits = int(re.search(r"transactions actually processed: (\d+)", run.stdout).group(1))
    rate = float(re.search(r"tps = ([\d.]+)", run.stdout).group(1))
    return {"commits_per_s": rate, "postgres_cpu_us_per_commit": used / commits * 1e6}
