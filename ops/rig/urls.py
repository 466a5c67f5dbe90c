# SPDX-License-Identifier: Apache-2.0
"""Where a URL leads, and the same by way of something that stands before it."""

import urllib.parse


def place_of(url):
    """(host, port)."""
    parts = urllib.parse.urlsplit(url)
    return parts.hostname, parts.port


def by_way_of(url, address):
    """`address`: HOST:PORT of what passes all on."""
    parts = urllib.parse.urlsplit(url)
    login, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{login}{at}{address}").geturl()
