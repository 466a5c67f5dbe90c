# SPDX-License-Identifier: Apache-2.0
"""How one installation comes to the servers of a secure stack: each command with the login that may do that and
nothing else, as the tables of config/SECURITY.md say, and the model over TLS behind the stack's proxy."""

import copy
import os
import urllib.parse

from .database import psql
from .gateway import Gateway, front_of, server_context
from .kafka_admin import KafkaAdmin
from .rights import grants, kafka_users, rights_of_user
from .secure_kafka import ROLES, password_of
from .stack import kafka_login

# (first words of a command, user of Kafka, role of the ledger); the first that fits. Others are the worker's.
_LOGINS = (
    ("migrate", "worker", "owner"), ("topics create", "topics-create", "owner"),
    ("topics verify", "topics-verify", "operator"), ("submit", "submit", "operator"),
    ("results", "results", "reader"), ("outbox verify", "outbox-verify", "operator"),
    ("outbox", "worker", "operator"), ("dlq", "submit", "operator"), ("job list", "results", "reader"),
    ("job", "results", "console"), ("show", "results", "reader"), ("history", "results", "reader"),
    ("import", "results", "operator"), ("cache", "results", "operator"),
)


_OPTIONS = ("outbox-verify-adopt", "submit-wait")  # of commands that take more with an option


def login_of(arguments):
    words = " ".join(arguments)
    if arguments[:1] == ("submit",) and "--wait" in arguments and "postgres.url=" in arguments:
        return "submit-wait", "operator"  # it waits at the topic
    for first, user, role in _LOGINS:
        if (words + " ").startswith(first + " "):
            return ("outbox-verify-adopt" if "--adopt" in arguments else user), role
    return "worker", "worker"


class SecureWays:
    def __init__(self, deployment):
        self._deployment, self._stack = deployment, deployment.stack
        self._folder = deployment.stack.secure
        self._passwords = deployment.stack.passwords()
        self._kafka = KafkaAdmin(self._stack.brokers, kafka_login())
        self._gateway = Gateway()
        self._rights = {}
        self._model = self.guard(deployment.model.url)

    def guard(self, url, name="model"):
        """The address of a plain server of this machine, over TLS and by a name that only the proxy knows."""
        parts = urllib.parse.urlsplit(url)
        port = self._gateway.serve(front_of(parts.port), context=server_context(self._folder))
        return parts._replace(scheme="https", netloc=f"{name}.stack.test:{port}").geturl()

    def proxy(self):
        """Settings of whoever goes by the stack's proxy."""
        return {"ca_file": f"{self._folder}/ca.pem",
                **{key: os.environ[f"BA_STACK_{key.upper()}"] for key in ("proxy", "proxy_user", "proxy_password")}}

    def role_url(self, url, role):
        """The same database as another role, with its password and certificate."""
        name = ROLES[role]
        parts = urllib.parse.urlsplit(url)
        query = dict(urllib.parse.parse_qsl(parts.query)) | {
            "sslcert": f"{self._folder}/{name}.crt", "sslkey": f"{self._folder}/{name}.key"}
        return parts._replace(netloc=f"{name}:{self._passwords[name]}@{parts.hostname}:{parts.port}",
                              query=urllib.parse.urlencode(query, safe="/")).geturl()

    def settings(self):
        """Of the worker, beside the plain ones."""
        return {"kafka": {"properties": self._login("worker")},
                "postgres": {"url": self.role_url(self._deployment.database.url, "worker")},
                "llm": {"providers": {"scripted": {"base_url": self._model, **self.proxy()}}}}

    def _login(self, user):
        return kafka_login() | {"sasl.username": user, "sasl.password": password_of(self._folder, user)}

    def settings_of_others(self, settings):
        """Those of each other login, by its name. A database that the settings don't name is named elsewhere."""
        others = {}
        for user, role in {(user, role) for _, user, role in _LOGINS} | {(user, "operator") for user in _OPTIONS}:
            changed = copy.deepcopy(settings)
            if "properties" in changed.get("kafka", {}):
                changed["kafka"]["properties"] |= self._login(user)
            if "url" in changed["postgres"] or changed["postgres"].pop("url_file", None):
                changed["postgres"]["url"] = self.role_url(self._deployment.database.url, role)
            others[f"{user}.{role}"] = changed
        return others

    def environment_of(self, arguments):
        """What leads a command to its login."""
        user, role = login_of(arguments)
        if (user, role) == ("worker", "worker"):
            return {}
        changed = {"BA_CONFIG": self._deployment.config_file_of(f"{user}.{role}")}
        url = self._deployment.environment.get("BA_POSTGRES_URL")
        return changed | ({"BA_POSTGRES_URL": self.role_url(url, role)} if url else {})

    def allow_topics(self, settings):
        """Before the first command."""
        for user in kafka_users():
            self._rights[user] = rights_of_user(user, settings)
            self._kafka.allow(user, self._rights[user])

    def grant(self, settings):
        """After the schema is made, as its owner."""
        database = self._deployment.database
        on_database, on_schema = grants(ROLES, database.name, settings["postgres"].get("schema", "ba"))
        psql(database.url, "\n".join([f'REVOKE ALL ON DATABASE "{database.name}" FROM PUBLIC;', *on_database, *on_schema]))

    def close(self):
        for user, rights in self._rights.items():
            self._kafka.deny(user, rights)
        self._gateway.close()
