# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of any version beside the stack's, for as long as a test needs it."""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile

from .database import DatabaseError, psql
from .scram import verifier
from .stack import ROOT
from .waiting import wait_until

DEBIAN = "/usr/lib/postgresql/15"  # built with lz4, as distributions do; those of ops/setup are not


def build_of(version):
    """The folder of the newest release of a major version, 13 to 18, from `ops/setup`."""
    parts = subprocess.run([os.path.join(ROOT, "ops/setup"), "--where", "postgres"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.strip()
    folder = os.path.join(parts, str(version))
    if not os.path.isdir(folder):
        raise AssertionError(f"{folder} is missing: run ops/setup")
    return folder


class OwnPostgres:
    """Owned by whoever started it; its files go with it. PostgreSQL never runs as root.

    `installation`: a major version, or a folder with bin/initdb and bin/postgres. `settings` are those of
    postgresql.conf. `initdb`: further options of it, such as ["-E", "SQL_ASCII"].
    """

    def __init__(self, log, installation, settings=None, initdb=()):
        self.folder = tempfile.mkdtemp(prefix="ba-postgres-")
        os.chmod(self.folder, 0o755)
        self._account = pwd.getpwnam("postgres") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        self._log = log
        self._settings = {"fsync": "off", "max_connections": "100", **(settings or {})}
        self._password = secrets.token_hex(16)
        self._process = None
        try:
            self._binaries = self._reachable(installation)
            self._create(["-E", "UTF8", "--locale=C", *initdb])
            self.start()
            self.run(f"ALTER ROLE postgres PASSWORD '{verifier(self._password)}'")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.close()

    def url(self, user="postgres", password=None, database="postgres"):
        return f"postgresql://{user}:{password or self._password}@127.0.0.1:{self.port}/{database}"

    def run(self, sql, database="postgres"):
        """As superuser; what psql prints."""
        return psql(self.url(database=database), sql)

    def set_up_stack_roles(self):
        """The roles and empty databases of the stack (ops/data/roles.sql); the URL of the ledger's owner.
        Readers get the same password as the owner."""
        password = secrets.token_hex(16)
        with open(os.path.join(ROOT, "ops/data/roles.sql"), encoding="utf-8") as file:
            self.run(f"\\set owner_password '{verifier(password)}'\n\\set reader_password '{verifier(password)}'\n"
                     + file.read())
        return self.url("ba_owner", password, "ba_agent")

    def stop(self):
        """A fast shutdown; start() goes on with the same data on the same port."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)

    def start(self):
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", **self._settings}
        command = [f"{self._binaries}/postgres", "-D", self._data, "-p", str(self.port)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        with open(self._log, "ab") as output:
            self._process = subprocess.Popen(  # pylint: disable=consider-using-with
                command, stdout=output, stderr=output, **self.account_options())
        wait_until(self._answers, 60, f"the server answers, see {self._log}")

    def close(self):
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def account_options(self):
        """Of subprocess, for what is to run under the server's account."""
        return {"user": self._account.pw_uid, "group": self._account.pw_gid} if os.getuid() == 0 else {}

    def _reachable(self, installation):
        """Where the account can read it, whatever folder the set-up uses; the folder of the programs."""
        if isinstance(installation, int):
            installation = build_of(installation)
        if os.getuid() != 0 or installation.startswith(("/usr/", self.folder)):
            return os.path.join(installation, "bin")
        copy = shutil.copytree(installation, os.path.join(self.folder, "installation"), symlinks=True)
        return os.path.join(copy, "bin")

    def _create(self, options):
        self._data = os.path.join(self.folder, "data")
        os.mkdir(self._data, 0o700)
        words = os.path.join(self.folder, "password")
        with open(os.open(words, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(self._password)  # initdb 13 takes 100 characters at most, too few for a verifier
        for path in (self._data, words):
            os.chown(path, self._account.pw_uid, self._account.pw_gid)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        with open(self._log, "ab") as output:
            subprocess.run([f"{self._binaries}/initdb", "-D", self._data, "-U", "postgres", f"--pwfile={words}",
                            "--auth=scram-sha-256", "--no-sync", *options],
                           check=True, stdout=output, stderr=output, **self.account_options())

    def _answers(self):
        if self._process.poll() is not None:
            raise AssertionError(f"the server ended while starting, see {self._log}")
        try:
            return self.run("SELECT 1")
        except DatabaseError:
            return None
