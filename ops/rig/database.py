# SPDX-License-Identifier: Apache-2.0
"""The ledger as a person with psql sees it."""

import json
import os
import subprocess
import urllib.parse
# What is on the path is a wrapper, which takes longer than most questions.
POSTGRES_BIN = "/usr/lib/postgresql/15/bin"


class DatabaseError(RuntimeError):
    """What psql said."""


def connection(url):
    """The environment in which PostgreSQL's own programs connect to `url`. On their command line
    everyone on the machine would see the password."""
    parts = urllib.parse.urlsplit(url)
    query = dict(urllib.parse.parse_qsl(parts.query))
    return os.environ | {
        "PGHOST": parts.hostname or query["host"], "PGPORT": str(parts.port or query["port"]),
        "PGDATABASE": parts.path.lstrip("/"),
        "PGUSER": urllib.parse.unquote(parts.username),
        "PGPASSWORD": urllib.parse.unquote(parts.password),
    } | {f"PG{name.upper()}": value for name, value in query.items() if name.startswith("ssl")}


def with_database(url, database):
    """The same login, to another database of that server."""
    return urllib.parse.urlsplit(url)._replace(path=f"/{database}").geturl()


def psql(url, sql):
    run = subprocess.run(
        [f"{POSTGRES_BIN}/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-f", "-"], env=connection(url),
        input=sql, capture_output=True, text=True, check=False,
    )
    if run.returncode != 0:
        raise DatabaseError(run.stderr.strip())
    return run.stdout


class Database:
    """A database of its own on the stack's server, with the program's schema `ba`."""

    def __init__(self, stack, name, tablespace=None):
        self.name = name
        self.url = stack.database_url(name)
        self._admin_url = stack.postgres_url
        self._administrator_url = stack.administrator_url() or self._admin_url  # whose sessions run there
        place = f" TABLESPACE {tablespace}" if tablespace else ""
        psql(self._admin_url, f'CREATE DATABASE "{name}"{place}')

    def drop(self):
        """With FORCE an autovacuum in it would be a reason to refuse; without, it just ends."""
        psql(self._administrator_url, f"""
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = '{self.name}' AND backend_type = 'client backend'
                AND pg_has_role(usename, 'USAGE');
            DROP DATABASE IF EXISTS "{self.name}";""")

    def administer(self, sql):
        """As whoever may end other roles' sessions."""
        psql(with_database(self._administrator_url, self.name), sql)

    def rows(self, sql):
        """Each row as a dictionary."""
        text = psql(self.url, f"SET search_path = ba; SELECT json_agg(r) FROM ({sql}) r")
        return (json.loads(text) if text.strip() else None) or []

    def row(self, sql):
        (row,) = self.rows(sql)
        return row

    def value(self, sql):
        (value,) = self.row(sql).values()
        return value

    def try_value(self, sql):
        """None while the server does not answer or there is no such row."""
        try:
            rows = self.rows(sql)
        except DatabaseError:
            return None
        return next(iter(rows[0].values())) if rows else None
