# SPDX-License-Identifier: Apache-2.0
"""The classes of C++ code with their namespace, methods and fields, read by braces and without a compiler."""

import dataclasses
import re

from .source_tree import line_of

_MARK = re.compile(r"[{};]")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_NAMESPACE = re.compile(r"\bnamespace\b\s*([\w:]*)\s*$")
_TYPE = re.compile(
    r"(?:^|[;\s>])(class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\s*\([^)]*\)\s*|\[\[[^\]]*\]\]\s*)*"
    r"(\w+)\s*(<[^{]*>)?\s*(?:final\b\s*)?(?::(?!:).*)?$",
    re.DOTALL,
)
_ACCESS = re.compile(r"^(?:(?:public|private|protected)\s*:\s*)+")
_OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|[^\s(]+)")
_ANGLES = re.compile(r"<[^<>]*>")
_NO_MEMBER = re.compile(r"(?:using|friend|typedef|static_assert|static)\b")
_TEMPLATE = re.compile(r"^template\s*(?:<>)?\s*")


@dataclasses.dataclass
class CppClass:
    kind: str
    name: str
    namespace: str  # "ba::mcp"; "" outside of any, None within a nameless one or within another type
    line: int
    methods: int = 0
    fields: int = 0


def _plain(head):
    """A declaration without what may hold brackets of its own: templates' arguments, operators' signs."""
    head = _OPERATOR.sub("operator_of", _ACCESS.sub("", head.strip()))
    head = head.replace("->", " ")
    while True:
        shorter = _ANGLES.sub("", head)
        if shorter == head:
            return _TEMPLATE.sub("", head).strip()
        head = shorter


def _count(owner, head):
    """Counts a member; tells whether it is a function."""
    plain = _plain(head)
    if not re.match(r"[\w~:\[]", plain):
        return False
    bracket, assigned = plain.find("("), plain.find("=")
    is_function = bracket >= 0 and not 0 <= assigned < bracket
    if is_function:
        owner.methods += not re.match(r"(?:friend|static_assert|using|typedef)\b", plain)
    elif not _NO_MEMBER.match(plain) and re.search(r"\w\s+[\w&*]|[&*]\s*\w", plain):
        owner.fields += 1 + re.sub(r"\([^()]*\)|\[[^\]]*\]", "", plain).count(",")
    return is_function


class _Reader:
    def __init__(self, code):
        self.code = _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), code)
        self.found = []
        self.scopes = []  # ("namespace", name) | ("class", CppClass) | ("body", None)
        self.rest_of_field = False  # what stands behind a field's braces

    def read(self):
        start = 0
        for match in _MARK.finditer(self.code):
            head = self.code[start:match.start()]
            if match.group() == "{":
                self._open(head, match.start())
            elif match.group() == "}" and self.scopes:
                self.scopes.pop()
            elif match.group() == ";":
                if not self.rest_of_field:
                    self._member(head)
                self.rest_of_field = False
            start = match.end()
        return self.found

    def _owner(self):
        return self.scopes[-1][1] if self.scopes and self.scopes[-1][0] == "class" else None

    def _member(self, head):
        owner = self._owner()
        return owner is not None and _count(owner, head)

    def _open(self, head, position):
        if any(kind == "body" for kind, _ in self.scopes):
            self.scopes.append(("body", None))
            return
        namespace = _NAMESPACE.search(head)
        if namespace:
            self.scopes.append(("namespace", namespace.group(1)))
            return
        named = None if "(" in _plain(head) else _TYPE.search(head)
        if named:
            self._open_type(named, position)
            return
        if self._owner() is not None and not self.rest_of_field:
            is_function = self._member(head)
            self.rest_of_field = not is_function and re.match(r"[\w~:\[]", _plain(head)) is not None
        self.scopes.append(("body", None))

    def _open_type(self, named, position):
        kind, name, arguments = named.groups()
        where = "::".join(s for k, s in self.scopes if k == "namespace")
        apart = arguments or any(k == "class" or (k == "namespace" and not s) for k, s in self.scopes)
        found = CppClass(kind.split()[0], name, None if apart else where, line_of(self.code, position))
        self.found.append(found)
        self.scopes.append(("body", None) if found.kind == "enum" else ("class", found))


def cpp_classes(code):
    """Of code without comments and literals (SourceTree.code)."""
    return _Reader(code).read()
