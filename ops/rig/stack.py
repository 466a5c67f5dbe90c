# SPDX-License-Identifier: Apache-2.0
"""The running stack, as `ops/stack env` describes it in the environment."""

import json
import os
import subprocess
import urllib.parse

from .database import with_database

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

_LOGIN = "BA__KAFKA__PROPERTIES__"


def kafka_login():
    """The properties of a client that `ops/stack env` gives; none on a stack that asks nobody."""
    return {name.removeprefix(_LOGIN).replace("__", ".").lower(): value
            for name, value in os.environ.items() if name.startswith(_LOGIN)}


def program(name, build_dir=None):
    """Path of a built program, in the folder of a build; without one, BA_BUILD_DIR chooses another than build/release."""
    path = os.path.join(build_dir or os.environ.get("BA_BUILD_DIR", os.path.join(ROOT, "build/release")), name)
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{path} is missing: build it first (cmake --build --preset release)")
    return path


class Stack:
    def __init__(self):
        self.directory = self._setting("BA_STACK_DIR")
        self.brokers = self._setting("BA_KAFKA_BROKERS")
        self.postgres_url = self._setting("BA_POSTGRES_URL")
        self.analytics_url = self._setting("BA_ANALYTICS_URL")
        # The folder of certificates and passwords of a secure stack.
        self.secure = os.environ.get("BA_STACK_SECURE")
        # Where the broker listens for a proxy, and where it says that proxy is.
        self.brokers_behind_proxy = self._setting("BA_KAFKA_BEHIND_PROXY")
        self.brokers_proxy = self._setting("BA_KAFKA_PROXY")

    @staticmethod
    def _setting(name):
        value = os.environ.get(name)
        if not value:
            raise SystemExit(f'{name} is not set: start a stack and eval "$(ops/stack env)"')
        return value

    def _ops_stack(self, *arguments):
        return subprocess.run(
            [os.path.join(ROOT, "ops/stack"), *arguments, "--dir", self.directory],
            check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ).stdout

    def restart(self, part, kill):
        """Stops a part, with SIGKILL if `kill`, and starts it again on its port."""
        self._ops_stack("restart", part, *(["--kill"] if kill else []))

    def pid(self, part):
        """Of a part that was started, whether it is ready or not."""
        with open(os.path.join(self.directory, part, "pid"), encoding="ascii") as file:
            return int(file.read().split()[0])

    def pids(self):
        """Process id of each running part."""
        parts = json.loads(self._ops_stack("status", "--json"))["parts"]
        return {name: part["pid"] for name, part in parts.items() if part["pid"]}

    def database_url(self, database):
        return with_database(self.postgres_url, database)

    def passwords(self):
        """Of the roles of PostgreSQL."""
        with open(os.path.join(self.directory, "postgres/pgpass"), encoding="utf-8") as file:
            return dict(line.strip().split(":")[3:5] for line in file)

    def administrator_url(self):
        """PostgreSQL's superuser, who comes by the socket; None on a stack that has no secrets from its owner."""
        if not self.secure:
            return None
        with open(os.path.join(self.directory, "postgres/place"), encoding="utf-8") as file:
            folder = file.read().strip()
        port = urllib.parse.urlsplit(self.postgres_url).port
        return f"postgresql://postgres:{self.passwords()['postgres']}@/postgres?host={folder}/socket&port={port}"
