# SPDX-License-Identifier: Apache-2.0
"""Jobs as a producer writes them, in both encodings."""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading

from .stack import ROOT

_GENERATE = threading.Lock()


def contract(name):
    """The Python module of schemas/ba/v1/<name>.proto, generated where it isn't yet."""
    folder = os.path.join(ROOT, "build", "rig")
    with _GENERATE:
        if folder not in sys.path:
            schemas = os.path.join(ROOT, "schemas")
            files = [f"ba/v1/{f}" for f in os.listdir(os.path.join(schemas, "ba/v1")) if f.endswith(".proto")]
            os.makedirs(folder, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as fresh:
                subprocess.run(["protoc", "-I", schemas, f"--python_out={fresh}", *files], check=True)
                for file in files:
                    target = os.path.join(folder, file.replace(".proto", "_pb2.py"))
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    os.replace(os.path.join(fresh, file.replace(".proto", "_pb2.py")), target)
            sys.path.insert(0, folder)
            importlib.invalidate_caches()
        return importlib.import_module(f"ba.v1.{name}_pb2")


def bench_job(job_id, messages=1, **fields):
    """A job that the scripted model answers after its tool calls; `messages` rounds."""
    return {
        "tenant": "rig", "job_id": job_id,
        "messages": [f"bench {job_id} {i}" for i in range(messages)], **fields,
    }


def job_key(job):
    return f"{job['tenant']}/{job.get('conversation_id', job['job_id'])}".encode()


def as_json(job):
    """(key, value, headers) of the record."""
    return job_key(job), json.dumps(job).encode(), [("content-type", b"application/json")]


def as_protobuf(job):
    message = contract("analysis_job").AnalysisJob(**job)
    return job_key(job), message.SerializeToString(), [("content-type", b"application/protobuf")]
