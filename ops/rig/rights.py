# SPDX-License-Identifier: Apache-2.0
"""The tables of config/SECURITY.md, as they stand there: what Kafka and PostgreSQL must grant to whom."""

import os
import re

from .stack import ROOT


def _rows(section):
    """The cells of each row of a section's tables."""
    here = False
    with open(os.path.join(ROOT, "config/SECURITY.md"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                here = line.strip() == f"## {section}"
            elif here and line.startswith("| "):
                yield [cell.strip() for cell in line.strip("| \n").split("|")]


def value_at(settings, key):
    for part in key.split("."):
        settings = settings[part]
    return settings


def rights_of(who, settings):
    """On Kafka, each with what it stands for in these settings: (resource, name, pattern, operation)."""
    rights = []
    for row in _rows("Kafka"):
        if row[0] != who:
            continue
        _, resource, keys, pattern, operations = row
        names = (list(settings["kafka"]["topics"].values()) if keys.startswith("all of")
                 else [value_at(settings, key) for key in re.findall("`([^`]+)`", keys)])
        rights += [(resource, name, pattern, operation) for name in names for operation in operations.split()]
    assert rights, f"config/SECURITY.md has no rights of {who}"
    return rights


def kafka_users():
    """Who stands in the table of Kafka by the name of a login: "submit" for "submit, dlq redrive"."""
    users = {}
    for row in _rows("Kafka"):
        if len(row) == 5 and row[0] != "who" and not row[0].startswith("---"):
            users[re.sub("[ -]+", "-", row[0].partition(",")[0])] = row[0]
    return users


def rights_of_user(user, settings):
    """An option of a command takes what the command takes, too."""
    who = kafka_users()[user]
    base, _, option = who.partition(" --")
    return rights_of(who, settings) + (rights_of_user(base.replace(" ", "-"), settings) if option else [])


def grants(roles, database="ba_agent", schema="ba"):
    """On PostgreSQL, as statements in their order, for the `roles` that play those of the table; those on the
    database apart, since they come before `ba-agent migrate`."""
    on_database, on_schema = [], []
    for row in _rows("PostgreSQL ledger"):
        role, may, what = (cell.strip("`") for cell in row[:3])
        if not row[0].startswith("`") or role not in roles:
            continue
        if what.startswith("DATABASE"):
            on_database.append(f'GRANT {may} ON DATABASE "{database}" TO {roles[role]};')
        else:
            what = re.sub(r"\bba\b", schema, what)
            on_schema.append(f"GRANT {may} ON {what} TO {roles[role]};")
    assert on_database and on_schema, "config/SECURITY.md has no table of PostgreSQL's rights"
    return on_database, on_schema
