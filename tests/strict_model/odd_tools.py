# SPDX-License-Identifier: Apache-2.0
"""A server of tools (MCP, over its standard streams), as its first argument says: `odd` has schemas that are good for
JSON Schema and that some provider refuses, `many` more tools than some take. Each tool answers what it was given."""

import json
import sys

_ODD = (
    # Nothing combining may stand at the top, at Anthropic and OpenAI.
    {"name": "find", "inputSchema": {
        "type": "object", "properties": {"route": {"type": "string"}, "file": {"type": "string"}},
        "anyOf": [{"required": ["route"]}, {"required": ["file"]}]}},
    # Names of properties are words at Anthropic.
    {"name": "list", "inputSchema": {"type": "object", "properties": {
        "$top": {"type": "integer"}, "filter[id]": {"type": "string"}}}},
    # An array says of what, at OpenAI.
    {"name": "batch", "inputSchema": {"type": "object", "properties": {"paths": {"type": "array"}}, "required": ["paths"]}},
)
_MANY = tuple({"name": f"tool{i}", "inputSchema": {"type": "object"}} for i in range(140))


def main():
    tools = [{"description": "Finds things."} | tool for tool in {"odd": _ODD, "many": _MANY}[sys.argv[1]]]
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
                  "tools/list": {"tools": tools}}.get(request["method"])
        if request["method"] == "tools/call":
            given = request["params"].get("arguments", {})
            answer = {"structuredContent": {"given": given}, "content": [{"type": "text", "text": json.dumps(given)}]}
        if answer is not None and "id" in request:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer}), flush=True)


main()
