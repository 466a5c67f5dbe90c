# SPDX-License-Identifier: Apache-2.0
"""A rule of a provider: what a request must not do, and where that is published."""

import dataclasses
from typing import Callable, Iterable

# What a check stumbles over in a request of another shape than it knows; that is no good request, either.
_UNREADABLE = (AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclasses.dataclass(frozen=True)
class Source:
    title: str
    url: str


@dataclasses.dataclass
class Request:
    """One request as it came. `headers` have names in lower case; `said` is what the stand-in has said in this
    conversation: whole replies by each id in them."""

    body: dict
    headers: dict = dataclasses.field(default_factory=dict)
    said: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Rule:
    """`places` yields where a request breaks it, in words."""

    name: str
    source: Source
    places: Callable[[Request], Iterable[str]]


@dataclasses.dataclass(frozen=True)
class Violation:
    rule: Rule
    place: str

    def __str__(self):
        return f"{self.rule.name}: {self.place} [{self.rule.source.title}: {self.rule.source.url}]"


def rule(table, name, source):
    """Adds a function of a request as a rule to `table`."""
    def add(places):
        table.append(Rule(name, source, places))
        return places
    return add


def violations(rules, request):
    found = []
    for each in rules:
        try:
            found += [Violation(each, place) for place in each.places(request)]
        except _UNREADABLE as error:
            found.append(Violation(each, f"the request can't be read: {error!r}"))
    return found


def unknown(value, known, place):
    """Where members stand that are none of `known`."""
    for key in value:
        if key not in known:
            yield f"{place}.{key}: Extra inputs are not permitted"


def missing(value, needed, place):
    for key in needed:
        if value.get(key) is None:
            yield f"{place}.{key}: Field required"


def blank(text):
    return not text.strip()
