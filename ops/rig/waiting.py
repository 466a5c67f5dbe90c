# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition instead of for a time."""

import time

_INTERVAL = 0.02


class TimedOut(AssertionError):
    """A condition did not come about in time."""


def wait_until(condition, seconds, what):
    """The first true value of `condition()`. `what` is a text, or a function that says how it is."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimedOut(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(_INTERVAL)
