# SPDX-License-Identifier: Apache-2.0
"""Each suite on each server. Ends with the line "N passed, N failed", which counts pairs of both."""

import argparse
import concurrent.futures
import contextlib
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "ops"), HERE]

# pylint: disable=wrong-import-position
from pooler import Pooler
from rig.own_postgres import DEBIAN, OwnPostgres

LOGS = os.path.join(ROOT, "build/test-logs/postgres")
BUILD = os.environ.get("BA_BUILD_DIR", os.path.join(ROOT, "build/release"))
# Of the level `server`, which has them on Debian's 15.
STORAGE = ("tests/storage/storage_server_test", "tests/contract/pg_ledger_contract_test",
           "tests/contract/cache_store/pg_cache_store_contract_test",
           "tests/contract/artifact_store/pg_artifact_store_contract_test")
OWN = "tests/postgres/ledger_servers_test"
SOURCES = "tests/postgres/source_servers_test"
EACH = "FitnessTest.*:HostileIntakeTest.*:RightsTest.WhatTheDocument*"  # what may differ by version
# Rows of a migration are tried with its own text, which names lz4; these servers are built without it.
SUITES = tuple((suite, "-MigrateRows.*" if suite.endswith("storage_server_test") else "*") for suite in STORAGE)
# Plans, locks, rights and views: what else may differ by version, of the first suite.
PLANNED = ((STORAGE[0], "ClaimBounds.*:ClaimRace.*:Dashboards.*:Fence.*:FinishBounds.*:GroupBehind.*:Migrate.*:*Statements.*:Tenants.*"),)
CONTRACT = SUITES[1:2]  # of the ledger
NEWEST = 18
PRINTING = threading.Lock()
SIDE_BY_SIDE = 2  # servers; each has its port, folder, databases, roles and pooler
LARGE = os.environ.get("BA_TEST_SIZE") == "large"


def suites(version):
    few = PLANNED + CONTRACT if version == NEWEST else PLANNED
    return (*(SUITES if LARGE else few), (OWN, EACH), (SOURCES, "*"))


SERVERS = {"13": (13, ((SOURCES, "*"),)),
           "14": (14, ((OWN, "OldServer.*"), (SOURCES, "*"))),
           "debian": (DEBIAN, ((OWN, "-OldServer.*"), (SOURCES, "*"))),
           **{str(version): (version, suites(version)) for version in (16, 17, NEWEST)}}


def run(name, suite, tests, addresses):
    """Whether it passed."""
    began = time.monotonic()
    log = os.path.join(LOGS, f"{name}-{os.path.basename(suite)}.log")
    with open(log, "wb") as output:
        code = subprocess.run([os.path.join(BUILD, os.path.basename(suite)), f"--gtest_filter={tests}"], cwd=ROOT, stdout=output,
                              stderr=output, env=os.environ | addresses, check=False).returncode
    with open(log, encoding="utf-8", errors="replace") as file:
        said = file.read()
    passed = code == 0 and "[  PASSED  ] 0 tests" not in said and "[  PASSED  ]" in said
    with PRINTING:
        print(f"{'ok     ' if passed else 'FAILED '} PostgreSQL {name}: {os.path.basename(suite)}"
              f" ({time.monotonic() - began:.1f} s)", flush=True)
        if not passed:
            print("        " + "\n        ".join(said.splitlines()[-60:]), flush=True)
    return passed


@contextlib.contextmanager
def server_addresses(name):
    """What the suites read in the environment. The server and its pooler end with the block."""
    with OwnPostgres(os.path.join(LOGS, f"{name}.log"), SERVERS[name][0]) as server, Pooler(server) as pooler:
        yield {"BA_POSTGRES_URL": server.set_up_stack_roles(), "BA_POSTGRES_ADMIN_URL": server.url(),
               "BA_POOLER_URL": pooler.url()}


def on_server(name):
    with server_addresses(name) as addresses:
        return [run(name, suite, tests, addresses) for suite, tests in SERVERS[name][1]]


def run_command(names, command):
    """A person's own command on each of these servers, in the foreground."""
    codes = []
    for name in names:
        with server_addresses(name) as addresses:
            codes.append(subprocess.run(command, env=os.environ | addresses, check=False).returncode)
    return 1 if any(codes) else 0


def main():
    parser = argparse.ArgumentParser(prog="tests/postgres/run")
    parser.add_argument("servers", nargs="*", help=f"of {', '.join(SERVERS)}; all of them without")
    parser.add_argument("--command", nargs=argparse.REMAINDER, help="this instead of the suites, on each server")
    options = parser.parse_args()
    unknown = [name for name in options.servers if name not in SERVERS]
    if unknown:
        parser.error(f"no server {unknown[0]!r}; there are: {', '.join(SERVERS)}")
    os.makedirs(LOGS, exist_ok=True)
    if options.command:
        return run_command(options.servers or SERVERS, options.command)
    names = sorted(options.servers or SERVERS, key=lambda name: -len(SERVERS[name][1]))  # the longest first
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        results = [passed for results in pool.map(on_server, names) for passed in results]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
