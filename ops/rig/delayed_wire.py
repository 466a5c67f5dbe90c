# SPDX-License-Identifier: Apache-2.0
"""Puts servers further away: connections to them go by `ba-delayed-wire` (tests/delayed_wire)."""

import re

from .processes import Process
from .stack import program
from .urls import by_way_of, place_of
from .waiting import wait_until


_ADDRESS = re.compile(r"^127\.0\.0\.1:\d+$", re.MULTILINE)


class DelayedWire:
    """A context, one for a folder. `urls` go to servers on 127.0.0.1; each direction takes `delay_us`."""

    def __init__(self, folder, delay_us, urls):
        self._places = list(dict.fromkeys(_place_of(url) for url in urls))
        command = [program("ba-delayed-wire"), "--delay-us", str(delay_us)]
        for host, port in self._places:
            command += ["--to", f"{host}:{port}"]
        self.process = Process("ba-delayed-wire", command, f"{folder}/delayed-wire.log")
        self._addresses = wait_until(self._printed, 20, self.process.tail)

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.process.kill()

    def url(self, url):
        """The same server, by way of the wire."""
        return by_way_of(url, self._addresses[self._places.index(_place_of(url))])

    def _printed(self):
        with open(self.process.log, encoding="utf-8") as file:
            addresses = _ADDRESS.findall(file.read())
        return addresses if len(addresses) == len(self._places) else None


def _place_of(url):
    host, port = place_of(url)
    return "127.0.0.1" if host == "localhost" else host, port
