# SPDX-License-Identifier: Apache-2.0
"""What a model does when it is asked, whatever the protocol: it says something, is refused, breaks off."""

import dataclasses

# What becomes of what the provider has billed: it is one of the job's steps, or recorded as lost; or nothing was billed.
KEPT, LOST, UNPAID = "kept", "lost", "unpaid"


@dataclasses.dataclass(frozen=True)
class Usage:
    """Disjoint counts of the input, as the worker's contract has them; `thinking` is a part of `output`."""

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    thinking: int = 0

    def __add__(self, other):
        return Usage(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))


@dataclasses.dataclass(frozen=True)
class Call:
    """`arguments` are an object, or the text that a model wrote in its place."""

    name: str
    arguments: dict | str


@dataclasses.dataclass(frozen=True)
class Say:
    """A reply. `stop`: end, calls, cut, refused (by the provider), declined (by the model), paused, or the wire's own
    word. `billed`: see KEPT."""

    text: str = ""
    thinking: str | None = None
    calls: tuple = ()
    stop: str = ""
    usage: Usage | None = None  # None: counts that no other reply has
    billed: str = KEPT
    empty_text: bool = False  # a text block without text beside what there is
    redacted: bool = False  # thinking that nobody may read, behind what may be read
    broken: bool = False  # the connection ends in the middle
    error: tuple = ()  # (type, message) of an error in the middle of the reply, which has begun with 200


@dataclasses.dataclass(frozen=True)
class Refuse:
    """An answer without a reply: status (0: the connection ends without any), headers and the body of an error, in the
    protocol's form unless `body` is given."""

    status: int
    kind: str = ""
    message: str = "not now"
    headers: dict = dataclasses.field(default_factory=dict)
    body: object = None
    billed: str = UNPAID


@dataclasses.dataclass(frozen=True)
class Raw:
    """A reply as one server writes it: `whole`, and `events` of a stream (objects or texts). `message`: what must be
    known of it when it comes back."""

    whole: dict
    events: tuple
    usage: Usage
    label: str = "text/event-stream"
    bare: str = ""  # sent in the place of events
    message: dict | None = None
    billed: str = KEPT


def query(number):
    """A call that any installation can answer."""
    return Call("query_database", {"sql": f"SELECT {number} AS n"})


def ask(*numbers, text="", **more):
    return Say(text=text, calls=tuple(query(number) for number in numbers), **more)


# A call whose result fills a small context in a few rounds: letters that no tokenizer makes few of.
LONG = Call("query_database", {"sql": "SELECT md5(i::text) AS pad FROM generate_series(1, 80) i", "output_level": "full"})
