# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition instead of for a time."""

import time

_INTERVAL = (0.02, 0.1)  # seconds between two looks, at first and at most: a look at a database costs as much as its work
_PATIENCE = 4


def patient(seconds):
    """For how long something is waited for that takes an idle machine `seconds` at most: a busy one has several times as
    long, so that no verdict hangs on what else it does."""
    return _PATIENCE * seconds


class TimedOut(AssertionError):
    """A condition did not come about in time."""


def wait_until(condition, seconds, what):
    """The first true value of `condition()`, within `seconds` on an idle machine. `what` is a text, or a function that
    says how it is."""
    began = time.monotonic()
    deadline = began + patient(seconds)
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimedOut(f"not within {patient(seconds)} s: {what() if callable(what) else what}")
        time.sleep(min(max(_INTERVAL[0], (time.monotonic() - began) / 10), _INTERVAL[1]))
