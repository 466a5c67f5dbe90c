# SPDX-License-Identifier: Apache-2.0
"""Tokens that a tool's result takes in each encoding; see ops/bench --help."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.encodings_queries import QUERIES
from benchmarks.tokens import VOCABULARIES, TokenCounter
from rig.stack import program

_TOOL = "query_database"
_ENCODINGS = ("json", "compact", "yaml", "xml")
_TITLES = {"json": "JSON", "json_line": "JSON, one line", "compact": "compact", "yaml": "YAML", "xml": "XML"}
_INLINE_BYTES_MAX = 16384  # tools.inline_full_max_bytes: of more, a job's model reads a part


def settings(url, encoding):
    """JSON is YAML."""
    return {"tools": {"encoding": encoding, "data_sources": [
        {"name": "analytics", "url": url, "description": "flights of 2013"}]}}


def run_program(arguments, text=None):
    """Its output. Without a ledger, so that nothing is kept of a call."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("BA_")}
    ran = subprocess.run([program("ba-agent"), *arguments], env=environment, input=text, check=False,
                         capture_output=True, encoding="utf-8")
    if ran.returncode != 0:
        raise SystemExit(f"ba-agent {' '.join(arguments)} ended with {ran.returncode}: {ran.stderr}{ran.stdout}")
    return ran.stdout


class Tool:
    """Runs queries through the product; the texts are what a model reads."""

    def __init__(self, url, folder):
        self._configs = {}
        for encoding in _ENCODINGS:
            self._configs[encoding] = os.path.join(folder, f"{encoding}.yaml")
            with open(os.open(self._configs[encoding], os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
                json.dump(settings(url, encoding), file)

    def observation(self, sql, encoding):
        arguments = json.dumps({"sql": sql, "output_level": "full"})  # whole, however long its text is
        answer = json.loads(run_program(["tool", "run", _TOOL, arguments, "--json",
                                         "--config", self._configs[encoding]]))
        if answer["data_size_bytes"] > _INLINE_BYTES_MAX:
            raise SystemExit(f"{answer['data_size_bytes']} bytes, no model reads all of it at once: {sql}")
        return answer["observation"]

    def texts(self, sql):
        """The result by encoding, each read back and compared first."""
        texts = {encoding: self.observation(sql, encoding) for encoding in _ENCODINGS}
        data = json.loads(texts["json"])
        for encoding in _ENCODINGS[1:]:
            decoded = run_program(["encode", "--format", encoding, "--decode"], texts[encoding])
            if json.loads(decoded) != data:
                raise SystemExit(f"{encoding}: not the data of JSON: {sql}")
        texts["json_line"] = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return data, {encoding: texts[encoding] for encoding in _TITLES}


def shape(data):
    return f"{len(data)} × {len(data[0])}"


def measure(tool, counter):
    results = []
    for name, query in QUERIES.items():
        data, texts = tool.texts(query)
        tokens = {encoding: counter.count(text) for encoding, text in texts.items()}
        results.append({"name": name, "sql": query, "shape": shape(data), "tokens": tokens})
    return results


def change(count, base):
    """In per cent of the base; what is saved has a minus."""
    percent = round((count - base) * 100 / base)
    return f"{'−' if percent < 0 else '+' if percent > 0 else '±'}{abs(percent)} %"


def markdown_table(results, vocabulary):
    rows = [("result", "rows × columns", *_TITLES.values(), "compact against one line")]
    for result in results:
        tokens = {encoding: counts[vocabulary] for encoding, counts in result["tokens"].items()}
        base = tokens.pop("json")
        rows.append((result["name"], result["shape"], f"{base:,}",
                     *(f"{count:,} ({change(count, base)})" for count in tokens.values()),
                     change(tokens["compact"], tokens["json_line"])))
    return report.table(rows)


def markdown(results):
    text = ("# Tokens of results by encoding\n\nWhole results of `query_database` (level `full`), in tokens, and"
            " against JSON as it is given, indented by two.\nEach text read back to the same data; each count is that of two"
            " implementations.\n")
    for vocabulary in VOCABULARIES:
        text += f"\n`{vocabulary}`:\n\n{markdown_table(results, vocabulary)}"
    return text


def main():
    argparse.ArgumentParser(prog="ops/bench encodings").parse_args()
    url = os.environ.get("BA_ANALYTICS_URL")
    if not url:
        raise SystemExit('BA_ANALYTICS_URL is not set: start a stack and eval "$(ops/stack env)"')
    with tempfile.TemporaryDirectory() as folder:
        results = measure(Tool(url, folder), TokenCounter())
    report.write("encodings", {"benchmark": "encodings", "results": results}, markdown(results))


if __name__ == "__main__":
    main()
