# SPDX-License-Identifier: Apache-2.0
"""No two headers define types of one name in one namespace: linked into one program, they would be one to the
linker (the one-definition rule), and no tool says so."""

from .cpp_classes import cpp_classes


def check(tree):
    first = {}
    findings = []
    for path in tree.paths:
        if not path.endswith(".hpp"):
            continue
        for found in cpp_classes(tree.code(path)):
            if found.namespace is None:
                continue
            name = f"{found.namespace}::{found.name}".removeprefix("::")
            if first.setdefault(name, path) != path:
                findings.append(f"{path}:{found.line}: {name} is also defined in {first[name]}")
    return findings
