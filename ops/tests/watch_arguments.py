#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Prints each command line on this machine that holds a password, until it is ended.

watch_arguments.py PGPASS_GLOB: the passwords are those of the files that match, whenever they appear.
A process is looked at again and again in its first second: it may become another program."""

import glob
import os
import sys
import time

_LOOK_SECONDS = 1.0
_PAUSE_SECONDS = 0.003


def passwords(pattern):
    found = set()
    for name in glob.glob(pattern):
        try:
            with open(name, "rb") as file:
                found |= {line.rstrip(b"\n").rpartition(b":")[2] for line in file}
        except OSError:
            pass
    return found - {b""}


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


class Watch:
    def __init__(self, pattern):
        self._pattern = pattern
        self._secrets = set()
        self._secrets_read = 0.0
        self._first_seen = {}

    def look(self):
        """Command lines with a password, the password blanked."""
        now = time.monotonic()
        if now - self._secrets_read > 0.1:
            self._secrets, self._secrets_read = passwords(self._pattern), now
        pids = {name for name in os.listdir("/proc") if name.isdigit()}
        self._first_seen = {pid: self._first_seen.get(pid, now) for pid in pids}
        young = [pid for pid, seen in self._first_seen.items() if now - seen < _LOOK_SECONDS]
        for line in map(command_line, young):
            for secret in self._secrets:
                if secret in line:
                    yield line.replace(secret, b"<password>").replace(b"\0", b" ").decode(errors="replace")


def main(pattern):
    watch = Watch(pattern)
    print("watching", flush=True)
    while True:
        for line in watch.look():
            print(line, flush=True)
        time.sleep(_PAUSE_SECONDS)


if __name__ == "__main__":
    main(sys.argv[1])
