# SPDX-License-Identifier: Apache-2.0
"""No two headers of the tree have one name: who looks for a file by its name finds one."""

import os


def check(tree):
    first = {}
    findings = []
    for path in tree.paths:
        if path.endswith(".hpp"):
            other = first.setdefault(os.path.basename(path), path)
            if other != path:
                findings.append(f"{path}:1: {other} has this name, too")
    return findings
