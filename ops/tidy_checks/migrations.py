# SPDX-License-Identifier: Apache-2.0
"""A migration that a database may have seen never changes: `released.sha256` has the sum of each, as `sha256sum` writes
them. A new migration needs its line there."""

import hashlib
import os
import re

_FOLDER = "storage/migrations"
_LIST = f"{_FOLDER}/released.sha256"
_LINE = re.compile(r"^([0-9a-f]{64})  (V\d+__\w+\.sql)$")


def check(tree):
    files = {os.path.basename(p): p for p in tree.paths if re.fullmatch(_FOLDER + r"/V\d+__\w+\.sql", p)}
    if not files:
        return []
    if _LIST not in tree.paths:
        return [f"{_LIST}:1: isn't there"]
    findings, listed = [], set()
    for number, line in enumerate(tree.text(_LIST).splitlines(), 1):
        match = _LINE.match(line)
        if not match:
            findings.append(f"{_LIST}:{number}: no line of sha256sum")
            continue
        checksum, name = match.groups()
        listed.add(name)
        if name not in files:
            findings.append(f"{_LIST}:{number}: {name} isn't there")
            continue
        with open(tree.absolute(files[name]), "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != checksum:
                findings.append(f"{files[name]}:1: has changed; databases that have it refuse this program")
    for name in sorted(set(files) - listed):
        findings.append(f"{_LIST}:1: lacks {name}; in {_FOLDER}: sha256sum {name} >> released.sha256")
    return findings
