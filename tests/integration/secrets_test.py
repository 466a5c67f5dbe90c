# SPDX-License-Identifier: Apache-2.0
"""Secrets reach no log, endpoint, table, topic, command line, or output of a command, however they were
given, and whatever a model, a tool or a server says of them."""

import functools
import json
import os
import subprocess
import urllib.parse
import uuid

from case import Case
from process_watch import ProcessWatch
from rig import endpoints
from rig.database import connection
from rig.deployment import Deployment
from rig.jobs import bench_job
from rig.topics import read_all
from rig.waiting import wait_until

OURS = ("rig", "says"), ("rig", "refused"), ("rig", "poison")  # jobs


def in_settings(_deployment, _settings):
    """As they stand there already."""


def in_the_environment(deployment, settings):
    provider = settings["llm"]["providers"]["scripted"]
    source = settings["tools"]["data_sources"][0]
    deployment.environment |= {
        "BA_POSTGRES_URL": settings["postgres"].pop("url"),
        "BA__LLM__PROVIDERS__SCRIPTED__API_KEY": provider.pop("api_key"),
        "BA_PLANTED_HEADER": provider["headers"]["x-gateway-token"], "BA_PLANTED_SOURCE": source["url"]}
    provider["headers"]["x-gateway-token"] = "${BA_PLANTED_HEADER}"
    source["url"] = "${env:BA_PLANTED_SOURCE}"


def in_files(deployment, settings):
    for section, key in ((settings["postgres"], "url"), (settings["tools"]["data_sources"][0], "url"),
                         (settings["llm"]["providers"]["scripted"], "api_key")):
        value = section.pop(key)
        section[f"{key}_file"] = os.path.join(deployment.folder, f"secret-{uuid.uuid4().hex}")
        with open(section[f"{key}_file"], "w", encoding="utf-8") as file:
            file.write(value + "\n")


class Planted(Deployment):
    """Its secrets are given to the program by `way`. Names of its own, since other tests run beside it."""

    def __init__(self, lab, way):
        self.api_key, self.header = f"planted-key-{uuid.uuid4().hex}", f"planted-header-{uuid.uuid4().hex}"
        self.way = way
        super().__init__(lab.stack, lab.folder, model={"scripts": [self._script(lab.folder)]})

    def passwords(self):
        return [urllib.parse.unquote(urllib.parse.urlsplit(url).password)
                for url in (self.database.url, self.stack.analytics_url)]

    def settings(self):
        settings = super().settings() | {
            "observability": {"log_level": "debug"}, "http": {"enabled": True, "port": 0},
            "limits": {"attempts_max": 1}}
        settings["llm"]["providers"]["scripted"] |= {
            "api_key": self.api_key, "headers": {"x-gateway-token": self.header}}
        self.way(self, settings)
        return settings

    def _script(self, folder):
        """A model that repeats what it must not, and a provider that quotes the key in its error."""
        said = f"The key is {self.api_key}, the header {self.header}."
        query = {"sql": f"SELECT '{self.api_key}' AS said, carrier FROM airlines LIMIT 1"}
        failing = {"sql": f"SELECT '{self.api_key}'::integer"}
        refusal = {"type": "error", "error": {
            "type": "authentication_error", "message": f"invalid x-api-key: {self.api_key}"}}
        entries = [
            {"when": {"prefix": "says it"}, "then": [
                {"text": said, "tool_calls": [
                    {"name": "query_database", "args": query}, {"name": "query_database", "args": failing},
                    {"name": f"tool_{self.api_key}", "args": {}},
                    {"name": "query_database", "raw_args": f"{{{self.api_key}"}]},
                {"text": said, "thinking": said}]},
            {"when": {"regex": "is refused|the single word"}, "then": [  # also what `doctor --call` asks
                {"text": "never said", "faults": [{"times": 99, "status": 401, "body": json.dumps(refusal)}]}]},
        ]
        file = os.path.join(folder, "leaks.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump({"entries": entries}, out)
        return file


def said_by(deployment, *arguments, env=None):
    run = deployment.call(*arguments, env=env)
    return (run.stdout + run.stderr).encode()


def content(path):
    with open(path, "rb") as file:
        return file.read()


def commands(deployment):
    """What each says, by name."""
    for job in OURS:
        yield f"show {job[1]}", said_by(deployment, "show", job[1], "--tenant", job[0], "--full")
    for line in ("config print", "config check", "job list", "dlq list --json", "dlq show rig/poison --full",
                 "results", "doctor", "doctor --call --json", "outbox verify"):
        yield line, said_by(deployment, *line.split())


def answers(worker):
    return {path: endpoints.read(worker, path)[1].encode() for path in ("/metrics", "/readyz", "/healthz")}


def places(deployment):
    """Where a secret could have gone, by name."""
    topics = read_all(deployment.stack.brokers,
                      [t for n, t in deployment.topics.items() if not n.startswith("jobs")])
    for name in ("results", "metrics", "dead_letters", "progress", "receipts"):
        yield name, b"".join((m.key() or b"") + (m.value() or b"") + repr(m.headers()).encode()
                             for m in topics[deployment.topics[name]])
    for worker in deployment.workers:
        yield f"log of {worker.name}", content(worker.log)
    dump = subprocess.run(["pg_dump"], env=connection(deployment.database.url), check=True, capture_output=True,
                          timeout=60)
    yield "tables", dump.stdout
    yield from commands(deployment)


def run_the_jobs(deployment):
    """One worker dies over a job; the next runs the others and writes the first off. What that one serves."""
    dead = deployment.start_worker(crash_at="reply_committed:1")
    deployment.submit([bench_job("poison") | {"messages": ["says it"]}])
    dead.wait(60)
    deployment.submit([bench_job("says") | {"messages": ["says it"]},
                       bench_job("refused") | {"messages": ["is refused"]}])
    worker = deployment.start_worker()
    deployment.wait_for_results(len(OURS), 60)
    served = answers(worker)
    worker.terminate()
    assert worker.wait(20) == 0, worker.tail()
    return served


def another_database(deployment, **changes):
    """The environment that leads a program there, with a part of the address changed."""
    address = urllib.parse.urlsplit(deployment.database.url)
    parts = {"user": address.username, "port": address.port} | changes
    url = address._replace(netloc="{user}:{password}@127.0.0.1:{port}".format(**parts)).geturl()
    if deployment.way is not in_files:
        return {"BA__POSTGRES__URL": url}
    file = os.path.join(deployment.folder, f"secret-{uuid.uuid4().hex}")
    with open(file, "w", encoding="utf-8") as out:
        out.write(url)
    return {"BA__POSTGRES__URL_FILE": file}


def without_its_database(deployment, password):
    """What a worker and `doctor` say, by name, where the password is refused, and where nobody listens."""
    env = another_database(deployment, password=password)
    worker = deployment.start_worker(env=env)
    worker.wait(20)
    doctor = said_by(deployment, "doctor", env=env)
    for said in (doctor, content(worker.log)):
        assert b"password authentication failed" in said, said
    waiting = deployment.start_worker(env=another_database(deployment, password=password, port=1))
    wait_until(lambda: "waiting for a dependency" in waiting.tail(1000), 20, waiting.tail)
    found = {f"{path}, waiting": said for path, said in answers(waiting).items()}
    assert b"waiting for PostgreSQL" in found["/readyz, waiting"], found
    waiting.kill()
    return found | {"doctor, refused": doctor}


def secrets_stay_secret(way, may_know, lab):
    with Planted(lab, way) as deployment:
        refused = f"planted-password-{uuid.uuid4().hex}"
        known = (deployment.api_key, deployment.header)
        everything = (*known, refused, *deployment.passwords())
        with ProcessWatch(everything, known, may_know) as watch:
            found = run_the_jobs(deployment)
            found |= without_its_database(deployment, refused)
            found |= dict(places(deployment))
        assert not watch.found(), watch.found()
        expect_what_was_said_around_them(found)
        planted = [secret.encode() for secret in everything]
        planted += [secret.hex().encode() for secret in planted]  # as pg_dump writes bytes
        leaks = [(name, secret[:16]) for name, text in found.items() for secret in planted if secret in text]
        assert not leaks, leaks


def expect_what_was_said_around_them(found):
    """Else nothing found would say nothing."""
    said = b"The key is ***, the header ***."
    for name in ("tables", "results", "show says", "dead_letters", "dlq show rig/poison --full"):
        assert said in found[name].replace(b"\\\\", b"\\"), (name, found[name][-2000:])
    for name in ("tables", "results", "doctor --call --json", "show refused"):
        assert b"invalid x-api-key: ***" in found[name], (name, found[name][-2000:])


CASES = [
    Case(f"secrets {words} stay out of everything that can be read",
         functools.partial(secrets_stay_secret, way, may_know))
    for words, way, may_know in (
        ("in the settings", in_settings, ()),
        ("in the environment", in_the_environment, ("ba-agent", "ba-agent-crash", "setpriv")),
        ("in files", in_files, ()))
]
