# SPDX-License-Identifier: Apache-2.0
"""A process of the program under test: with a log, and never left behind."""

import signal
import subprocess

from .waiting import patient

# Sent when the thread that started the process ends: keep that thread for as long as the process.
_ENDS_WITH_US = ["setpriv", "--pdeathsig", "KILL", "--"]


class Process:
    """Started at once; output goes to `log`. `env` is its environment (default: this one's)."""

    def __init__(self, name, command, log, env=None):
        self.name = name
        self.log = log
        with open(log, "ab") as output:
            # pylint: disable=consider-using-with
            self._process = subprocess.Popen(
                [*_ENDS_WITH_US, *command], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=env,
            )
        self.pid = self._process.pid

    @property
    def exit_code(self):
        """None while it runs; -9 after a SIGKILL."""
        return self._process.poll()

    def signal(self, number):
        self._process.send_signal(number)

    def terminate(self):
        self.signal(signal.SIGTERM)

    def kill(self):
        self.signal(signal.SIGKILL)
        return self.wait(10)

    def wait(self, seconds):
        """The exit code, within `seconds` on an idle machine."""
        try:
            return self._process.wait(patient(seconds))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} still runs after {patient(seconds)} s: {self.tail()}") from None

    def tail(self, lines=15):
        with open(self.log, "r", encoding="utf-8", errors="replace") as file:
            return "\n" + "".join(file.readlines()[-lines:])
