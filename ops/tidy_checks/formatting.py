# SPDX-License-Identifier: Apache-2.0
"""clang-format 14 with the tree's own style: other versions format differently."""

import concurrent.futures
import re
import subprocess

_FORMATTER = "clang-format-14"
_BATCH = 24
_FINDING = re.compile(r"^(.*?):(\d+):\d+: error: code should be clang-formatted", re.MULTILINE)


def _run(tree, options, paths):
    return subprocess.run(
        [_FORMATTER, *options, *paths], cwd=tree.root, capture_output=True, text=True, check=False
    )


def check(tree, only=None):
    """Of all C++ files, or of those among `only`."""
    paths = [path for path in tree.cpp() if only is None or path in only]
    batches = [paths[i : i + _BATCH] for i in range(0, len(paths), _BATCH)]
    options = ["--dry-run", "-Werror"]
    findings = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for run in pool.map(lambda batch: _run(tree, options, batch), batches):
            found = [
                f"{path}:{line}: not as {_FORMATTER} would have it (ops/tidy --fix-format)"
                for path, line in dict(reversed(_FINDING.findall(run.stderr))).items()
            ]
            if run.returncode != 0 and not found:
                found = [f"{_FORMATTER} failed: {run.stderr.strip()}"]
            findings += found
    return findings


def fix(tree):
    _run(tree, ["-i"], tree.cpp())
