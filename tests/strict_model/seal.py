# SPDX-License-Identifier: Apache-2.0
"""Signatures that the stand-in gives to thinking, to know it again: of its text, and of all that stood before it."""

import base64
import hashlib
import json


def _hash(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()[:18]).decode()


def _bare(value):
    """Without the marks for the cache, which may move."""
    if isinstance(value, dict):
        return {key: _bare(part) for key, part in value.items() if key != "cache_control"}
    return [_bare(part) for part in value] if isinstance(value, list) else value


def prefix(body, until):
    """Of system prompt, tools and the first `until` messages of a Messages request."""
    parts = [_bare(body.get("system")), _bare(body.get("tools")), _bare(body["messages"][:until])]
    return _hash(json.dumps(parts, sort_keys=True))


def signature(thinking, before):
    return _hash("thinking " + thinking) + "." + before


def of_text(given, thinking):
    return given.split(".")[0] == _hash("thinking " + thinking)


def of_prefix(given, before):
    return given.split(".")[-1] == before


def encrypted(item_id, summary):
    return _hash("reasoning " + item_id + json.dumps(summary, sort_keys=True))
