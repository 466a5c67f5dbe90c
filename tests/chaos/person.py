# SPDX-License-Identifier: Apache-2.0
"""Somebody at work beside the workers, who gives one command after the other through the same broken network."""

import collections
import random
import threading


class Person:
    """At work from start() to finish(). `counts` is what came of the commands, `violations` what should not have.
    `name` is what the counts are of; `every` are the shortest and the longest pause in seconds."""

    def __init__(self, installation, seed, name, every):
        self.name = name
        self.counts = collections.Counter()
        self.violations = []
        self._installation = installation
        self._random = random.Random(f"{seed}/{name}")
        self._every = every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name=name)
        self._problem = None

    def start(self):
        self._thread.start()

    def close(self):
        self._over.set()
        if self._thread.ident:
            self._thread.join()

    def finish(self):
        """All faults are healed; what was begun is brought to its end."""
        self.close()
        if self._problem:
            raise AssertionError(f"a command could not be given: {self._problem}") from self._problem

    def act(self):
        """What is done again and again."""
        raise NotImplementedError

    def _work(self):
        try:
            while not self._over.wait(self._random.uniform(*self._every)):
                self.act()
        except Exception as error:  # pylint: disable=broad-exception-caught
            self._problem = error
