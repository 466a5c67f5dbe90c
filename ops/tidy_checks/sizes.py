# SPDX-License-Identifier: Apache-2.0
"""Lists files over 300 lines, functions over 70, and classes of more than 20 methods or 15 fields: nothing to
fail on, something to think about."""

import ast
import re

from .cpp_classes import cpp_classes
from .source_tree import line_of

_FILE_LINES = 300
_FUNCTION_LINES = 70
_METHODS = 20
_FIELDS = 15
_BRACE_OR_END = re.compile(r"[{};]")
_NO_FUNCTION = re.compile(r"\b(?:namespace|class|struct|enum|union|extern)\b|=\s*$")
_NAME = re.compile(r"([~\w:]+|operator\s*\S+)\s*\(")


def cpp_functions(code):
    """(name, first line, lines) of each function, by its braces; lambdas belong to their function."""
    found, stack, head_start = [], [], 0
    for match in _BRACE_OR_END.finditer(code):
        char, position = match.group(), match.start()
        if char == "{":
            head = re.sub(r"^[ \t]*#.*$", "", code[head_start:position], flags=re.MULTILINE).strip()
            inside = any(entry is not None for entry in stack)
            name = _NAME.search(head)
            is_function = not inside and name is not None and not _NO_FUNCTION.search(head)
            stack.append((name.group(1), position) if is_function else None)
        elif char == "}" and stack:
            entry = stack.pop()
            if entry is not None:
                first, last = line_of(code, entry[1]), line_of(code, position)
                found.append((entry[0], first, last - first + 1))
        head_start = match.end()
    return found


def python_functions(text):
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [
        (node.name, node.lineno, node.end_lineno - node.lineno + 1)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def large_classes(path, code):
    return [
        f"large: {path}:{found.line}: {found.kind} {found.name} has {found.methods} methods, {found.fields} fields"
        for found in cpp_classes(code)
        if found.methods > _METHODS or found.fields > _FIELDS
    ]


def large(tree):
    lines = []
    for path in tree.paths:
        is_cpp = path.endswith((".cpp", ".hpp"))
        if not is_cpp and not path.endswith((".py", ".sh")) and path not in tree.with_shebang():
            continue
        text = tree.text(path)
        count = text.count("\n")
        if count > _FILE_LINES:
            lines.append(f"large: {path}: {count} lines")
        if is_cpp:
            functions = cpp_functions(tree.code(path))
            lines += large_classes(path, tree.code(path))
        else:
            functions = python_functions(text) if path.endswith(".py") else []
        lines += [
            f"large: {path}:{first}: {name}() has {size} lines"
            for name, first, size in functions
            if size > _FUNCTION_LINES
        ]
    return lines
