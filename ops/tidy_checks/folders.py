# SPDX-License-Identifier: Apache-2.0
"""Each folder of sources says why it exists. One of tests that mirrors another needs no words of its own,
nor one that is a part of its parent."""

import os

_SOURCES = (".cpp", ".hpp", ".py", ".sh", ".sql", ".proto")
_MIRRORS = ("tests/pipeline", "tests/storage", "tests/worker", "tests/ops", "tests/scripted_model/tests")
_PARTS = ("ops/data/backend", "ops/demo.d/jobs")


def _needs_none(folder):
    return any(folder == f or folder.startswith(f + "/") for f in (*_MIRRORS, *_PARTS))


def check(tree):
    paths = set(tree.paths)
    folders = {os.path.dirname(p) for p in paths if p.endswith(_SOURCES)} - {""}
    return [
        f"{folder}:1: has sources and no README.md"
        for folder in sorted(folders)
        if not _needs_none(folder) and f"{folder}/README.md" not in paths
    ]
