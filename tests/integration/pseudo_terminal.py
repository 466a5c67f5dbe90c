# SPDX-License-Identifier: Apache-2.0
"""A command on a terminal of its own, and what a person sees there."""

import errno
import os
import pty
import re
import select
import subprocess
import time

from rig.waiting import patient

_WIPE = "\r\x1b[2K"  # the row, from its beginning
_STYLE = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?7[lh]")


class PseudoTerminal:
    """A context. The command is started at once; the terminal is its standard input, both outputs,
    and where its signals come from."""

    def __init__(self, command, env):
        self.shown = ""  # everything so far, as it was written
        self._master, slave = pty.openpty()
        try:
            # pylint: disable=consider-using-with
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", "setsid", "--ctty", *command],
                stdin=slave, stdout=slave, stderr=slave, env=env)
        finally:
            os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def type(self, text):
        os.write(self._master, text.encode())

    def read(self, seconds=0.05):
        """Takes in what has arrived; everything so far. Once the command has ended, all there is."""
        while select.select([self._master], [], [], seconds)[0]:
            try:
                self.shown += os.read(self._master, 65536).decode(errors="replace")
            except OSError as error:
                if error.errno != errno.EIO:  # nobody holds the terminal any longer
                    raise
                break
        return self.shown

    def wait(self, seconds):
        """The exit code, within `seconds` on an idle machine."""
        deadline = time.monotonic() + patient(seconds)
        while self._process.poll() is None:
            self.read()
            assert time.monotonic() < deadline, f"it still runs after {patient(seconds)} s: {self.shown!r}"
        self.read()
        return self._process.returncode

    def rows(self):
        """What is left on the screen: wiped rows are gone, styles are."""
        return [_STYLE.sub("", row.rstrip("\r").rsplit(_WIPE, 1)[-1]) for row in self.shown.split("\n")]
