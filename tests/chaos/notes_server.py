# SPDX-License-Identifier: Apache-2.0
"""A server of tools (MCP, revision 2026-07-28, over its standard streams) with one tool, which writes a note into the
file that it is started with. It says nothing of what a second call does, so a worker must not call it twice."""

import json
import os
import sys

TOOL = {"name": "write", "description": "Writes a note.", "inputSchema": {
    "type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}}


def answer(request, notes):
    method = request["method"]
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    word = request["params"]["arguments"]["word"]
    os.write(notes, f"{word}\n".encode())  # one write, so that it is whole beside those of others
    return {"content": [{"type": "text", "text": f"noted {word}"}]}


def main():
    notes = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer(request, notes)}), flush=True)


main()
