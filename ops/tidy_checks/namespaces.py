# SPDX-License-Identifier: Apache-2.0
"""A folder of the worker is a namespace, and so is the storage: worker/llm is ba::llm with all below it, a family
of tools (worker/tools/sql) is ba::sql. What every ring speaks of (pipeline/) is ba. Another namespace's block in a
file only declares that a type exists."""

import re

_FAMILIES_HOME = "worker/tools/"
_PLAIN = ("worker/bench", "worker/version")  # a program's main file and generated text: ba
_BLOCK = re.compile(r"^namespace (ba(?:::\w+)*) \{$(.*?)^\}", re.M | re.S)
_FORWARD = re.compile(r"(?:class|struct|enum class) \w+(?: : [\w:]+)?;")


def namespace_of(path):
    """The namespace that a file's declarations have; None where the rule says nothing (tests, a ring of ba)."""
    parts = path.split("/")
    if parts[0] == "storage":
        return "ba::storage"
    if parts[0] != "worker" or len(parts) < 3 or path.startswith(_PLAIN):
        return None
    if path.startswith(_FAMILIES_HOME) and len(parts) > 3 and parts[2] != "base":
        return f"ba::{parts[2]}"
    return f"ba::{parts[1]}"


def check(tree):
    findings = []
    for path in tree.paths:
        wanted = namespace_of(path) if path.endswith((".cpp", ".hpp")) else None
        if wanted is None:
            continue
        code = tree.code(path)
        for block in _BLOCK.finditer(code):
            name = block.group(1)
            if name == wanted or name.startswith(wanted + "::"):
                continue
            if _FORWARD.sub("", block.group(2)).strip():
                line = code.count("\n", 0, block.start()) + 1
                findings.append(f"{path}:{line}: {name} where {wanted} belongs; another namespace's types are only"
                                " declared here")
    return findings
