# SPDX-License-Identifier: Apache-2.0
"""A server of tools (MCP, revision 2026-07-28, over its standard streams) with one tool, which writes a note into the
file that it is started with. It says nothing of what a second call does, so a worker must not call it twice. With
BA_CRASH_AT=note_written[:N] the worker that started it is killed, or stopped (BA_CRASH_HOW=stop), between the N-th
note of this process and its answer."""

import itertools
import json
import os
import signal
import sys

POINT, _, TIMES = os.environ.get("BA_CRASH_AT", "").partition(":")
COUNT = itertools.count(1)
HOW = signal.SIGSTOP if os.environ.get("BA_CRASH_HOW") == "stop" else signal.SIGKILL
TOOL = {"name": "write", "description": "Writes a note.", "inputSchema": {
    "type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}}


def crash(written):
    if POINT == "note_written" and written == int(TIMES or 1):
        os.kill(os.getppid(), HOW)


def answer(request, notes):
    method = request["method"]
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    word = request["params"]["arguments"]["word"]
    os.write(notes, f"{word}\n".encode())  # one write, so that it is whole beside those of others
    crash(next(COUNT))
    return {"content": [{"type": "text", "text": f"noted {word}"}]}


def main():
    notes = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer(request, notes)}), flush=True)


main()
