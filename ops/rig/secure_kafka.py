# SPDX-License-Identifier: Apache-2.0
"""python -m rig.secure_kafka FOLDER BROKERS: the users of a secure stack, each with the rights that
config/SECURITY.md lists, on the topics of the example's settings. --grants prints those on PostgreSQL."""

import os
import re
import sys

from .kafka_admin import KafkaAdmin
from .rights import grants, kafka_users, rights_of_user
from .stack import ROOT

ROLES = {"owner": "ba_owner", "worker": "ba_worker", "operator": "ba_operator", "console": "ba_console",
         "reader": "ba_ledger_reader"}


def example_settings(section):
    """Plain values of one section of the example's settings, which are the defaults."""
    settings = {}
    levels = [(-1, settings)]  # (indentation, what is below it)
    with open(os.path.join(ROOT, "config/ba-agent.example.yaml"), encoding="utf-8") as file:
        lines = [line for line in file if re.match(r" *\w+:", line)]
    for line in lines:
        indentation, key, value = re.match(r"( *)(\w+): *([^#]*)", line).groups()
        while levels[-1][0] >= len(indentation):
            levels.pop()
        below = levels[-1][1]
        below[key] = value.strip() or {}
        if not value.strip():
            levels.append((len(indentation), below[key]))
    return {section: settings[section]}


def password_of(folder, user):
    """Made when it is first asked for."""
    path = os.path.join(folder, "passwords", f"kafka-{user}")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(os.open(path + ".new", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(os.urandom(24).hex())
        os.replace(path + ".new", path)
    with open(path, encoding="ascii") as file:
        return file.read()


def administrator(folder, brokers):
    """By the listener that takes certificates."""
    return KafkaAdmin(brokers, {
        "security.protocol": "SSL", "ssl.ca.location": f"{folder}/ca.pem",
        "ssl.certificate.location": f"{folder}/kafka-admin.crt", "ssl.key.location": f"{folder}/kafka-admin.key"})


def set_up(folder, brokers):
    settings = example_settings("kafka")
    admin = administrator(folder, brokers)
    admin.add_user("admin", password_of(folder, "admin"))
    for user in kafka_users():
        admin.add_user(user, password_of(folder, user))
        admin.allow(user, rights_of_user(user, settings))


if __name__ == "__main__":
    if sys.argv[1] == "--grants":
        print("\n".join(statement for part in grants(ROLES) for statement in part))
    else:
        set_up(*sys.argv[1:3])
