# SPDX-License-Identifier: Apache-2.0
"""The stack's PostgreSQL server as its administrator has it: crashed, frozen, short of disk, set back."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import urllib.parse

from .database import POSTGRES_BIN, DatabaseError, psql
from .waiting import wait_until


class PostgresServer:
    def __init__(self, stack):
        self._stack = stack
        with open(os.path.join(stack.directory, "postgres/place"), encoding="utf-8") as file:
            self.place = file.read().strip()
        self._data = os.path.join(self.place, "data")
        self._slow_disk = os.path.join(self.place, "slow_disk")
        self._pgpass = os.path.join(stack.directory, "postgres/pgpass")
        address = urllib.parse.urlsplit(stack.postgres_url)
        self.host, self.port = address.hostname, str(address.port)
        self._password = stack.passwords()["postgres"]
        self.admin_url = f"postgresql://postgres:{self._password}@{self.host}:{self.port}/postgres"
        if stack.secure:
            self.host, self.admin_url = os.path.join(self.place, "socket"), stack.administrator_url()

    def _postmaster(self):
        with open(os.path.join(self._data, "postmaster.pid"), encoding="utf-8") as file:
            return int(file.readline())

    def processes(self):
        """Pids of the server and its children: they work in its folder."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{name}/cwd") == self._data:
                    found.append(int(name))
            except OSError:
                pass
        return found

    def stop_at_once(self):
        """An immediate stop: no checkpoint, no word to anybody; the start after it recovers from the log."""
        os.kill(self._postmaster(), signal.SIGQUIT)
        wait_until(lambda: not self.processes(), 30, "PostgreSQL is stopped")

    def start(self):
        self._stack.restart("postgres", kill=False)

    def _ask(self, sql):
        """Also of a server that is about to come back."""
        def answer():
            try:
                return (psql(self.admin_url, sql),)
            except DatabaseError:
                return None
        return wait_until(answer, 30, "PostgreSQL answers")[0]

    def wait_until_it_answers(self):
        self._ask("SELECT 1")

    def kill_child(self, seed):
        """kill -9 of one session: the server ends all others and recovers in place."""
        sessions = self._ask("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
                             " AND pid <> pg_backend_pid() ORDER BY pid").split()
        if sessions:
            with contextlib.suppress(ProcessLookupError):  # it has ended since
                os.kill(int(random.Random(seed).choice(sessions)), signal.SIGKILL)

    def terminate_sessions(self, database, share, seed):
        """Ends about this share of a database's sessions, at least one. How many."""
        sessions = self._ask(f"SELECT pid FROM pg_stat_activity WHERE datname = '{database}'"
                             " ORDER BY pid").split()
        chance = random.Random(seed)
        chosen = [pid for pid in sessions if chance.random() < share] or sessions[:1]
        if chosen:
            self._ask(f"SELECT pg_terminate_backend(p) FROM unnest('{{{','.join(chosen)}}}'::int[]) p")
        return len(chosen)

    def freeze(self):
        """Every process stands still, as on a disk that hangs. Call thaw()."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self):
        self._signal_all(signal.SIGCONT)

    def slow_down(self, milliseconds):
        """Each sync of a file takes up to so much longer. Call speed_up()."""
        library = os.path.join(self.place, "slow_disk.so")
        with open(f"/proc/{self._postmaster()}/maps", encoding="utf-8") as maps:
            assert library in maps.read(), f"PostgreSQL runs without {library}: set BA_STACK_SLOW_DISK"
        with open(self._slow_disk, "w", encoding="ascii") as file:
            file.write(str(milliseconds))

    def speed_up(self):
        if os.path.exists(self._slow_disk):
            os.remove(self._slow_disk)

    def _signal_all(self, number):
        for pid in self.processes():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def back_up(self, folder):
        """A base backup, as pg_basebackup takes it from the running server, which has no tablespaces."""
        shutil.rmtree(folder, ignore_errors=True)
        run = subprocess.run([f"{POSTGRES_BIN}/pg_basebackup", "-h", self.host, "-p", self.port, "-U", "postgres", "-w",
                              "-D", folder, "-c", "fast", "-X", "stream"],
                             env=os.environ | {"PGPASSFILE": self._pgpass}, check=False, capture_output=True, text=True)
        if run.returncode != 0:
            raise AssertionError(f"pg_basebackup: {run.stderr}")

    def set_back(self, folder):
        """The server is stopped and comes back as it was at the backup."""
        owner = os.stat(self._data)
        self.stop_at_once()
        shutil.rmtree(self._data)
        shutil.copytree(folder, self._data, symlinks=True)
        self.own(self._data, owner)
        self.start()

    def own(self, folder, owner=None):
        """Gives all of a folder to the server's user."""
        owner = owner or os.stat(self._data)
        for parent, _, files in os.walk(folder):
            for path in (parent, *(os.path.join(parent, file) for file in files)):
                os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)

    def start_standby(self, folder, log):
        """Another server that streams from this one, on a port of its own."""
        self.back_up(folder)
        with open(os.path.join(folder, "postgresql.auto.conf"), "a", encoding="utf-8") as file:
            file.write(f"primary_conninfo = '{self._primary_conninfo()}'\n")
        open(os.path.join(folder, "standby.signal"), "w", encoding="utf-8").close()
        self.own(folder)
        return Standby(self, folder, log)

    def _primary_conninfo(self):
        return f"host={self.host} port={self.port} user=postgres password={self._password}"

    def replace_by(self, standby):
        """Planned: this server ends once the standby has all it wrote, and that takes its place."""
        owner = os.stat(self._data)
        os.kill(self._postmaster(), signal.SIGINT)
        wait_until(lambda: not self.processes(), 30, "PostgreSQL is stopped")
        standby.promote_and_stop()
        shutil.rmtree(self._data)
        shutil.move(standby.folder, self._data)
        self.own(self._data, owner)
        self.start()


class Standby:
    """A standby of the stack's server, owned by whoever started it, until it takes that one's place."""

    def __init__(self, server, folder, log):
        self.folder = folder
        owner = os.stat(folder)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self._url = (server.admin_url.replace(f":{server.port}/", f":{port}/")
                     .replace(f"&port={server.port}", f"&port={port}"))
        with open(log, "ab") as output:
            self._process = subprocess.Popen(  # pylint: disable=consider-using-with
                [f"{POSTGRES_BIN}/postgres", "-D", folder, "-p", str(port)], stdout=output, stderr=output,
                user=owner.st_uid, group=owner.st_gid)
        wait_until(self._streams, 60, f"the standby streams, see {log}")

    def _streams(self):
        try:
            return psql(self._url, "SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'")
        except DatabaseError:
            return None

    def promote_and_stop(self):
        psql(self._url, "SELECT pg_promote()")
        self.stop()

    def stop(self):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)


class SmallDisk:
    """A tablespace on a disk of its own that can be filled up. Needs the right to mount; `refusal` says
    why there is none, and then nothing else may be called."""

    def __init__(self, server, name, mebibytes=192):
        self.name = name
        self._server = server
        self._folder = os.path.join(server.place, name)
        self._ballast = os.path.join(self._folder, "ballast")
        self.refusal = self._mount(mebibytes)
        if self.refusal is None:
            owner = os.stat(os.path.join(server.place, "data"))
            space = os.path.join(self._folder, "space")
            os.makedirs(space, exist_ok=True)
            os.chown(space, owner.st_uid, owner.st_gid)
            os.chmod(self._folder, 0o755)
            psql(server.admin_url, f"CREATE TABLESPACE {name} OWNER ba_owner LOCATION '{space}'")

    def _mount(self, mebibytes):
        os.makedirs(self._folder, exist_ok=True)
        run = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", self._folder],
                             capture_output=True, text=True, check=False)
        return None if run.returncode == 0 else run.stderr.strip() or "mount was refused"

    def fill(self):
        """To the last byte: a table that needs another page gets none."""
        with open(self._ballast, "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while file.write(b"\0" * size) == size:
                        pass
                except OSError:
                    pass

    def free(self):
        if os.path.exists(self._ballast):
            os.remove(self._ballast)

    def close(self):
        if self.refusal is not None:
            return
        self.free()
        try:
            # The checkpoint, so that no recovery looks for the folder again.
            psql(self._server.admin_url, f"DROP TABLESPACE {self.name}; CHECKPOINT")
        finally:
            subprocess.run(["umount", "-l", self._folder], check=False, capture_output=True)
