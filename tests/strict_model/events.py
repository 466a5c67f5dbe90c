# SPDX-License-Identifier: Apache-2.0
"""A stream of server-sent events as bytes."""

import json


def sse(events):
    """`events`: (name or "", object or text)"""
    lines = []
    for name, data in events:
        if name:
            lines.append(f"event: {name}")
        lines.append("data: " + data if isinstance(data, str) else "data: " + json.dumps(data))
        lines.append("")
    return ("\n".join(lines) + "\n").encode()
