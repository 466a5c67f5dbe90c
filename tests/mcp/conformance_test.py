# SPDX-License-Identifier: Apache-2.0
"""The client scenarios that the protocol's conformance suite requires of each revision."""

import re
import subprocess
import tempfile

from peers import BUILD, CONFORMANCE, NODE

# What the client doesn't do, and so fails. A scenario of these that passes is told, too.
EXPECTED_FAILURES = {"auth/": "there is no OAuth client: credentials are headers of the configuration"}

SCENARIOS = {
    "2026-07-28": ("tools_call", "request-metadata", "sep-2322-client-request-state", "http-standard-headers",
                   "http-custom-headers", "http-invalid-tool-headers", "json-schema-ref-no-deref",
                   "json-schema-2020-12-preservation"),
    "2025-11-25": ("initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"),
}


def run_scenario(revision, scenario):
    """(whether it passed, its own count)"""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(
            [NODE, CONFORMANCE, "client", "--command", BUILD / "ba-mcp-conformance-client", "--scenario", scenario,
             "--spec-version", revision, "--output-dir", folder],
            capture_output=True, text=True, timeout=480, check=False)
    text = ran.stdout + ran.stderr
    count = re.search(r"Passed: (\d+/\d+)", text)
    return ran.returncode == 0 and "OVERALL: PASSED" in text, count.group(1) if count else text[-2000:]


def case(revision, scenario):
    def run():
        passed, count = run_scenario(revision, scenario)
        if not passed:
            raise AssertionError(count)
        return count + " checks"
    run.__name__ = f"conformance {revision} {scenario}"
    return run


CASES = [case(revision, scenario) for revision, scenarios in SCENARIOS.items() for scenario in scenarios]


def auth_scenarios():
    """The rest of what a revision requires, which is told of but expected to fail."""
    listed = subprocess.run([NODE, CONFORMANCE, "list", "--client"], capture_output=True, text=True, timeout=60,
                            check=False).stdout
    return sorted(set(re.findall(r"auth/[\w.-]+", listed)))
