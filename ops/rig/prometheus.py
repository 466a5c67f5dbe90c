# SPDX-License-Identifier: Apache-2.0
"""A Prometheus that scrapes one worker, promtool, and what ops/dashboards asks Prometheus for."""

import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from .processes import Process
from .stack import ROOT
from .waiting import wait_until

DASHBOARDS = os.path.join(ROOT, "ops/dashboards")


def program(name):
    """Path of prometheus or promtool, as ops/setup has fetched it."""
    setup = os.path.join(ROOT, "ops/setup")
    folder = subprocess.run([setup, "--where", "prometheus"], check=True, capture_output=True, text=True).stdout
    path = os.path.join(folder.strip(), name)
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{path} is missing: run ops/setup")
    return path


def promtool(*arguments, given="", folder=DASHBOARDS):
    """Exit code of a call and all that it said."""
    run = subprocess.run([program("promtool"), *arguments], input=given, cwd=folder, check=False, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return run.returncode, run.stdout


def dashboard():
    with open(os.path.join(DASHBOARDS, "ba-agent.json"), encoding="utf-8") as file:
        return json.load(file)


def dashboard_queries(interval, job=".+", instance=".+"):
    """Each PromQL expression of the dashboard, with Grafana's variables replaced."""
    def expressions(node):
        if isinstance(node, dict) and isinstance(node.get("expr"), str):
            yield node["expr"]
        for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield from expressions(inner)

    values = {"$__rate_interval": interval, "$job": job, "$instance": instance}
    return [re.sub(r"\$\w+", lambda found: values[found.group()], one) for one in expressions(dashboard())]


class Prometheus:
    """A context; `target` is HOST:PORT of what it scrapes each second. It evaluates the shipped alerts."""

    def __init__(self, folder, target):
        self._config = os.path.join(folder, "prometheus.json")
        with open(self._config, "w", encoding="utf-8") as file:
            json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                       "rule_files": [os.path.join(DASHBOARDS, "alerts.yaml")],
                       "scrape_configs": [{"job_name": "ba-agent", "static_configs": [{"targets": [target]}]}]}, file)
        self._data = os.path.join(folder, "prometheus-data")
        self._log = os.path.join(folder, "prometheus.log")
        self.process = self._url = None

    def __enter__(self):
        self.process = Process(
            "prometheus", [program("prometheus"), f"--config.file={self._config}", "--web.listen-address=127.0.0.1:0",
                           f"--storage.tsdb.path={self._data}"], self._log)
        self._url = wait_until(self._served_at, 30, self.process.tail)
        return self

    def __exit__(self, *_exception):
        self.process.kill()
        shutil.rmtree(self._data, ignore_errors=True)

    def _served_at(self):
        with open(self.process.log, encoding="utf-8") as file:
            log = file.read()
        found = re.search(r'msg="Listening on" address=(\S+)', log)
        return "ready to receive web requests" in log and found and f"http://{found.group(1)}"

    def _ask(self, path, **parameters):
        try:
            with urllib.request.urlopen(f"{self._url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}",
                                        timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refusal:
            raise AssertionError(f"{path} {parameters}: {refusal.read().decode()}") from None

    def query(self, expression):
        """The samples that are its value now."""
        return self._ask("query", query=expression)["result"]

    def alerts(self):
        return [rule for group in self._ask("rules")["groups"] for rule in group["rules"]]
