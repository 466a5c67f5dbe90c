# SPDX-License-Identifier: Apache-2.0
"""A database of one test, whose table it can lock: what reads there waits for a word instead of a time."""

import contextlib
import os
import subprocess

from rig.database import connection, psql, with_database
from rig.waiting import wait_until


class Sales:
    """A context: a database that the reading role may read."""

    def __init__(self, lab):
        self.name = f"sales_{os.path.basename(lab.folder).replace('-', '_')}"[:50] + f"_{os.getpid()}"
        self.url = lab.stack.database_url(self.name)
        self._admin_url = lab.stack.postgres_url
        self.reader_url = with_database(lab.stack.analytics_url, self.name)

    def __enter__(self):
        psql(self._admin_url, f'CREATE DATABASE "{self.name}"')
        psql(self.url, "CREATE TABLE sales (n integer); INSERT INTO sales VALUES (1), (2), (3);"
                       " GRANT SELECT ON sales TO ba_reader")
        return self

    def __exit__(self, *_exception):
        # Its sessions are another role's: they end with their workers.
        wait_until(lambda: psql(self._admin_url, "SELECT count(*) FROM pg_stat_activity"
                                                 f" WHERE datname = '{self.name}'").strip() == "0", 30,
                   "the sessions of the tool have ended")
        psql(self._admin_url, f'DROP DATABASE "{self.name}"')

    @property
    def source(self):
        """The data source, as a configuration says it."""
        return {"name": "sales", "url": self.reader_url, "tables": "sales(n integer)"}

    def waiting(self):
        """How many queries wait for the lock."""
        return int(psql(self.url, "SELECT count(*) FROM pg_locks JOIN pg_class c ON c.oid = relation"
                                  " WHERE relname = 'sales' AND NOT granted"))

    @contextlib.contextmanager
    def locked(self):
        """Nobody can read meanwhile."""
        with subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-f", "-"], env=connection(self.url),
                              text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as session:
            try:
                session.stdin.write("BEGIN; LOCK TABLE sales IN ACCESS EXCLUSIVE MODE;\n\\echo locked\n")
                session.stdin.flush()
                assert session.stdout.readline() == "locked\n"
                yield
            finally:
                session.stdin.close()  # which ends it
