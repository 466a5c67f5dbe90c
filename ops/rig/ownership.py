# SPDX-License-Identifier: Apache-2.0
"""Whether something of one tenant shows under another's name: each has a word that all its texts hold."""

import json
import re

from .topics import read_all

TOPICS = ("results", "metrics", "progress", "dead_letters", "receipts")


def _readable(value):
    """Also of what PostgreSQL shows as hexadecimal digits."""
    if isinstance(value, str) and value.startswith("\\x"):
        return bytes.fromhex(value[2:]).decode("utf-8", "replace")
    return value if isinstance(value, str) else json.dumps(value)


def _owner_of_record(key, value):
    """A record that can not be read belongs to whom its key names, "tenant/job"."""
    try:
        return json.loads(value)["tenant"]
    except (ValueError, KeyError, TypeError):
        return key.partition("/")[0]


class Ownership:
    """`words` by tenant; a word may go on with letters, digits and dashes. `violations` are of what was
    checked so far, `seen` says in which places each word was found under its own tenant."""

    def __init__(self, words):
        self.violations = []
        self.seen = {tenant: set() for tenant in words}
        self._tenant_of = {word: tenant for tenant, word in words.items()}
        self._word = re.compile(rf"({'|'.join(map(re.escape, words.values()))})[\w-]*")

    def check(self, place, tenant, text):
        """`tenant` None: the text is nobody's, and may hold no word at all."""
        for word in self._word.finditer(text):
            owner = self._tenant_of[word.group(1)]
            if owner == tenant:
                self.seen[owner].add(place)
            else:
                self.violations.append(f"{place} of {tenant or 'nobody'} shows {word.group()}, a word of {owner}")
                return

    def check_topics(self, deployment):
        """What is committed on the topics that the program writes, by name."""
        names = {deployment.topics[name]: name for name in TOPICS}
        found = read_all(deployment.stack.brokers, list(names))
        for topic, messages in found.items():
            for message in messages:
                self._check_record(names[topic], message)
        return {names[topic]: messages for topic, messages in found.items()}

    def _check_record(self, name, message):
        value = (message.value() or b"").decode("utf-8", "replace")
        key = (message.key() or b"").decode("utf-8", "replace")
        self.check(f"a record on {name}", _owner_of_record(key, value), f"{key} {value} {message.headers()!r}")

    def check_tables(self, database):
        owners = {kind: {row["id"]: row["tenant"] for row in database.rows(f"SELECT id, tenant FROM {table}")}
                  for kind, table in (("job", "jobs"), ("conversation", "conversations"))}
        tables = database.rows("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'ba'")
        for table in (row["name"] for row in tables):
            for row in database.rows(f"SELECT * FROM {table}"):
                self.check(f"a row of {table}", self._owner(row, owners), " ".join(map(_readable, row.values())))

    @staticmethod
    def _owner(row, owners):
        if "tenant" in row:
            return row["tenant"]
        for kind, tenants in owners.items():
            if row.get(kind) is not None:
                return tenants.get(row[kind])
        if row.get("record_key"):
            return _owner_of_record(_readable(row["record_key"]), _readable(row["record_value"]))
        return None
