#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes <name>.pb and <name>.framed beside each <name>.json of this folder.

The message of <message>.json and <message>.<what>.json is <message>; those of JSON_ONLY have no binary form.
"""

import importlib
import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import json_format

GOLDEN = pathlib.Path(__file__).resolve().parent
SCHEMAS = GOLDEN.parent
FRAMING = b"\x00\x00\x00\x00\x07\x00"  # magic 0, schema id 7, message index [0]
JSON_ONLY = {"analysis_job_event"}


def message_name(stem: str) -> str:
    return "".join(part.capitalize() for part in stem.split("_"))


def main() -> None:
    with tempfile.TemporaryDirectory() as generated:
        protos = [str(path.relative_to(SCHEMAS)) for path in SCHEMAS.glob("ba/v1/*.proto")]
        subprocess.run(["protoc", f"--python_out={generated}", *protos], cwd=SCHEMAS, check=True)
        sys.path.insert(0, generated)
        for sample in sorted(GOLDEN.glob("*.json")):
            stem = sample.name.split(".")[0]
            if stem in JSON_ONLY:
                continue
            module = importlib.import_module(f"ba.v1.{stem}_pb2")
            message = getattr(module, message_name(stem))()
            json_format.Parse(sample.read_text("utf-8"), message)
            value = message.SerializeToString(deterministic=True)
            sample.with_suffix(".pb").write_bytes(value)
            sample.with_suffix(".framed").write_bytes(FRAMING + value)
            print(f"{sample.stem}: {len(value)} bytes")


if __name__ == "__main__":
    main()
