# SPDX-License-Identifier: Apache-2.0
"""What calls of a model cost: the prices, what the scripted model reports, and what a provider's prompt cache would
make of the same requests if it outlived a job."""

import dataclasses
import hashlib
import json
import threading

# Dollars per million tokens.
PRICES = {"input": 3, "cache_read": 0.3, "cache_write": 3.75, "output": 15}
_CACHEABLE_TOKENS_MIN = 1024
_LOOK_BACK_BLOCKS = 20  # before a mark, where a provider looks for what it has


@dataclasses.dataclass
class Bill:
    """Tokens. `input` is what is neither read from the cache nor written to it."""
    calls: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    def __add__(self, other):
        return Bill(*(mine + theirs for mine, theirs in zip(dataclasses.astuple(self), dataclasses.astuple(other))))

    @property
    def read(self):
        """All that the model read."""
        return self.input + self.cache_read + self.cache_write

    @property
    def micro_usd(self):
        return sum(getattr(self, kind) * price for kind, price in PRICES.items())

    def as_json(self):
        return {**dataclasses.asdict(self), "micro_usd": round(self.micro_usd)}


def bill_of(usage):
    """Of one call, as Anthropic reports it."""
    return Bill(1, usage["input_tokens"], usage.get("cache_read_input_tokens") or 0,
                usage.get("cache_creation_input_tokens") or 0, usage["output_tokens"])


def _blocks(request):
    """(text, marked) of each part that can be cached, in the provider's order: tools, system, messages."""
    system = request.get("system") or []
    parts = [*request.get("tools", []), *([system] if isinstance(system, str) else system)]
    for message in request["messages"]:
        content = message["content"]
        parts += [message["role"], *([content] if isinstance(content, str) else content)]
    for part in parts:
        if isinstance(part, dict):
            yield json.dumps({k: v for k, v in part.items() if k != "cache_control"}), "cache_control" in part
        else:
            yield json.dumps(part), False


class SharedPromptCache:
    """A provider's cache as its documents have it: a marked beginning of 1,024 tokens or more can be read by every
    request that comes after the reply to the one that wrote it, of whichever job. What was written lasts for the run,
    which is shorter than the five minutes it has. For several threads."""

    def __init__(self):
        self._written = set()
        self._lock = threading.Lock()

    def look(self, request):
        """The shares of the request that are read and written, and what keep() takes once it is answered."""
        digest, size, ends, marks = hashlib.sha256(), 0, [], []
        for text, marked in _blocks(request):
            digest.update(text.encode() + b"\0")
            size += len(text.encode())
            if marked:
                marks.append(len(ends))
            ends.append((digest.hexdigest(), size))
        marks = [at for at in marks if ends[at][1] / 4 >= _CACHEABLE_TOKENS_MIN]
        near = {at for mark in marks for at in range(max(0, mark - _LOOK_BACK_BLOCKS + 1), mark + 1)}
        with self._lock:
            read = max((ends[at][1] for at in near if ends[at][0] in self._written), default=0)
        written = max((ends[at][1] for at in marks), default=0)
        return read / size, max(written - read, 0) / size, [ends[at][0] for at in marks]

    def keep(self, ends):
        with self._lock:
            self._written.update(ends)


def shared_bill(bill, read_share, written_share):
    """The same call where the cache outlives a job."""
    read, written = round(bill.read * read_share), round(bill.read * written_share)
    return Bill(bill.calls, bill.read - read - written, read, written, bill.output)
