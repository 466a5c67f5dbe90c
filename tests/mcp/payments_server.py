# SPDX-License-Identifier: Apache-2.0
"""A server of tools that pays, and says what became of a payment. It keeps its book in a file: one line for each payment,
its reference. While there is a file BOOK.die it kills its worker once: before it pays, or behind it, as the file says."""

import json
import os
import signal
import sys

BOOK = sys.argv[1]
TEXT = {"type": "string"}
TOOLS = [
    {"name": "pay", "description": "Pays.",
     "inputSchema": {"type": "object", "properties": {"account": TEXT, "reference": TEXT}, "required": ["account", "reference"]}},
    {"name": "find", "description": "Says what became of a payment.",
     "inputSchema": {"type": "object", "properties": {"reference": TEXT}, "required": ["reference"]}},
]


def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def booked():
    if not os.path.exists(BOOK):
        return []
    with open(BOOK, encoding="utf-8") as file:
        return file.read().split()


def die_if_asked(moment):
    order = BOOK + ".die"
    if not os.path.exists(order):
        return
    with open(order, encoding="utf-8") as file:
        if file.read().strip() != moment:
            return
    os.remove(order)
    os.kill(os.getppid(), signal.SIGKILL)
    os._exit(0)


def pay(arguments):
    die_if_asked("before")
    with open(BOOK, "a", encoding="utf-8") as file:
        file.write(arguments["reference"] + "\n")
        file.flush()
        os.fsync(file.fileno())
    die_if_asked("behind")
    return {"paid": arguments["account"]}


def find(arguments):
    says = BOOK + ".says"
    if os.path.exists(says):
        with open(says, encoding="utf-8") as file:
            return json.load(file)
    if arguments["reference"] in booked():
        return {"state": "booked", "payment": {"paid": "found again"}}
    return {"state": "absent"}


def main():
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "server/discover":
            say(id=request["id"], result={"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
        elif method == "tools/list":
            say(id=request["id"], result={"tools": TOOLS})
        elif method == "tools/call":
            answer = {"pay": pay, "find": find}[request["params"]["name"]](request["params"]["arguments"])
            say(id=request["id"], result={"structuredContent": answer, "content": []})


main()
