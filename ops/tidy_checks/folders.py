# SPDX-License-Identifier: Apache-2.0
"""Each folder says why it exists. A folder of tests that mirrors one of sources needs no words of its
own, and below the second level the parent speaks."""

import os

_SOURCES = (".cpp", ".hpp", ".py", ".sh", ".sql", ".proto")
_LEVELS = 2
_LINES_MAX = 30
_TOP_LINES_MAX = 200
_MIRRORED = ("tests/pipeline", "tests/storage", "tests/worker", "tests/ops")


def _is_mirror(folder):
    return any(folder == m or folder.startswith(m + "/") for m in _MIRRORED)


def check(tree):
    paths = set(tree.paths)
    folders = {os.path.dirname(p) for p in paths if p.endswith(_SOURCES)} - {""}
    findings = [
        f"{folder}:1: has sources and no README.md"
        for folder in sorted(folders)
        if folder.count("/") < _LEVELS and not _is_mirror(folder) and f"{folder}/README.md" not in paths
    ]
    for path in sorted(p for p in paths if os.path.basename(p) == "README.md"):
        most = _LINES_MAX if "/" in path else _TOP_LINES_MAX
        lines = tree.text(path).count("\n")
        if lines > most:
            findings.append(f"{path}:{most + 1}: {lines} lines, {most} are allowed")
    return findings
