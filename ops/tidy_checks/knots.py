# SPDX-License-Identifier: Apache-2.0
"""Files that need each other. A `.hpp` and its `.cpp` are one room; rooms that include each other in a circle are a
knot: none can be read, tested or changed without the others. Up to four may be one (an interface and its parts)."""

import re

LARGEST = 4
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def _rooms(tree):
    """Each room with the rooms that it includes."""
    paths = tree.cpp()
    rooms = {path.rpartition(".")[0]: set() for path in paths}
    for path in paths:
        own = path.rpartition(".")[0]
        included = {name.rpartition(".")[0] for name in _INCLUDE.findall(tree.text(path))}
        rooms[own] |= (included & rooms.keys()) - {own}
    return rooms


def _reached(start, neighbours):
    seen, open_rooms = set(), [start]
    while open_rooms:
        for other in neighbours[open_rooms.pop()]:
            if other not in seen:
                seen.add(other)
                open_rooms.append(other)
    return seen


def knots(tree):
    """The circles of more than one room, the largest first. Each is a sorted list of rooms."""
    rooms = _rooms(tree)
    includers = {room: set() for room in rooms}
    for room, included in rooms.items():
        for other in included:
            includers[other].add(room)
    found, placed = [], set()
    for room in sorted(rooms):
        if room in placed or not rooms[room] or not includers[room]:
            continue
        knot = _reached(room, rooms) & _reached(room, includers)
        placed |= knot
        if len(knot) > 1:
            found.append(sorted(knot))
    return sorted(found, key=len, reverse=True)


def check(tree):
    return [
        f"{knot[0]}.hpp:1: {len(knot)} files need each other in a circle (at most {LARGEST} may): {', '.join(knot)}"
        for knot in knots(tree)
        if len(knot) > LARGEST
    ]
