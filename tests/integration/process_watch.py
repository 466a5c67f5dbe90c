# SPDX-License-Identifier: Apache-2.0
"""Looks for secrets on the command line and in the environment of every process on this machine."""

import os
import subprocess
import threading
import time

from rig.waiting import wait_until

_YOUNG_SECONDS = 1.0  # a new process is looked at again and again: it may become another program
_EVERYONE_SECONDS = 0.5  # and all are from time to time
_PAUSE_SECONDS = 0.003
_PLANT = ["sh", "-c", "read -r line", "sh"]  # it stays until its input ends


def _read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


class ProcessWatch:
    """A context, watching in a thread of its own from before its first line to after its last. A secret of
    `of_commands` may be on no command line, one of `of_environments` in no environment either, except of
    the programs `may_know`."""

    def __init__(self, of_commands, of_environments, may_know=()):
        self._secrets = {"cmdline": [secret.encode() for secret in of_commands],
                         "environ": [secret.encode() for secret in of_environments]}
        self._may_know = may_know
        self._seen = {}  # (pid, file) -> what to say of it
        self._planted = None  # the pid of what is seen on purpose
        self._first_seen = {}
        self._all_looked_at = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="process watch")

    def found(self):
        return sorted({said for (pid, _), said in self._seen.items() if pid != self._planted})

    def __enter__(self):
        self._thread.start()
        try:
            self._see_what_is_planted()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_exception):
        self._end()

    def _end(self):
        self._over.set()
        self._thread.join()
        self._look(everyone=True)

    def _see_what_is_planted(self):
        """Else nothing found would say nothing."""
        planted = {"cmdline": self._secrets["cmdline"][0], "environ": self._secrets["environ"][0]}
        with subprocess.Popen([*_PLANT, planted["cmdline"]], stdin=subprocess.PIPE,
                              env=os.environ | {"PLANTED": planted["environ"].decode()}) as process:
            self._planted = process.pid
            try:
                wait_until(lambda: all((process.pid, file) in self._seen for file in planted), 10,
                           lambda: f"the watch sees what was planted, it has {self._seen}")
            finally:
                process.stdin.close()

    def _run(self):
        while not self._over.wait(_PAUSE_SECONDS):
            self._look(everyone=time.monotonic() - self._all_looked_at > _EVERYONE_SECONDS)

    def _look(self, everyone):
        now = time.monotonic()
        pids = {int(name) for name in os.listdir("/proc") if name.isdigit()}
        self._first_seen = {pid: self._first_seen.get(pid, now) for pid in pids}
        if everyone:
            self._all_looked_at = now
        for pid, seen in self._first_seen.items():
            if everyone or now - seen < _YOUNG_SECONDS:
                self._look_at(pid)

    def _look_at(self, pid):
        for file, secrets in self._secrets.items():
            content = _read(pid, file)
            for secret in secrets:
                if secret in content:
                    self._note(pid, file, secret)

    def _note(self, pid, file, secret):
        program = os.path.basename(_read(pid, "cmdline").split(b"\0")[0].decode(errors="replace"))
        if file == "environ" and not program:
            return  # about to become a program, and looked at again then; or it has ended
        if file == "cmdline" or program not in self._may_know:
            self._seen[pid, file] = f"{file} of {program}: {secret[:12].decode()}..."
