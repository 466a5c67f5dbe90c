# SPDX-License-Identifier: Apache-2.0
"""How fast tokens are counted, exactly, against tiktoken in the same run; see ops/bench --help."""

import argparse
import os
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# pylint: disable=wrong-import-position
from benchmarks import report
from benchmarks.token_texts import ROOT, corpora, without_breaks
from benchmarks.tokens import VOCABULARIES, encoders_of_both

PROGRAM = os.path.join(ROOT, "build/release/ba-bench-tokens")
PASSES = 3
# tiktoken takes minutes for a megabyte of some of these, and overflows its stack on one.
PEER_BYTES_OF_ONE_PIECE = 20_000


def ours(encoding, texts):
    """Counts, and seconds of the making, of the first pass and of the fastest one after it."""
    with tempfile.NamedTemporaryFile() as file:
        for text in texts:
            file.write(struct.pack("<I", len(text)) + text)
        file.flush()
        ran = subprocess.run([PROGRAM, encoding, file.name, str(PASSES)], check=True, capture_output=True, text=True)
    numbers = [int(line) for line in ran.stdout.splitlines()]
    passes = [micros / 1e6 for micros in numbers[1:1 + PASSES]]
    return numbers[1 + PASSES:], numbers[0] / 1e6, passes[0], min(passes[1:])


def peers(encode, texts):
    """The same of tiktoken: what it is given is decoded first, as its users do."""
    decoded = [text.decode("utf-8", "replace") for text in texts]
    began = time.thread_time()
    counts = [len(encode(text)) for text in decoded]
    return counts, time.thread_time() - began


def measure(encoding, name, texts, encode):
    size = sum(map(len, texts))
    counts, made, first, warm = ours(encoding, texts)
    expected, peer = peers(encode, texts)
    for text, count, other in zip(texts, counts, expected, strict=True):
        if count != other:
            raise SystemExit(f"{encoding}, {name}: {count} tokens where tiktoken counts {other}: {text[:200]!r}")
    return {"name": name, "bytes": size, "tokens": sum(counts), "making_ms": made * 1e3, "first_mb_s": size / first / 1e6,
            "warm_mb_s": size / warm / 1e6, "tiktoken_mb_s": size / peer / 1e6, "ratio": peer / warm}


def measure_whole(encoding, name, text, encode):
    """A piece of a megabyte; what is compared is its beginning."""
    head = text[:PEER_BYTES_OF_ONE_PIECE].decode("utf-8", "ignore").encode()
    (count,) = ours(encoding, [head])[0]
    (other,), peer = peers(encode, [head])
    if count != other:
        raise SystemExit(f"{encoding}, {name}: {count} tokens where tiktoken counts {other}")
    (tokens,), _, _, warm = ours(encoding, [text])
    return {"name": name, "bytes": len(text), "tokens": tokens, "warm_mb_s": len(text) / warm / 1e6,
            "tiktoken_mb_s": len(head) / peer / 1e6}


def markdown(data):
    lines = ["# Counting tokens", "",
             f"Parts of 16 KiB, {data['options']['megabytes']} MB together; every count equal to tiktoken's. One thread,"
             " MB/s of CPU time: the first time over the texts, then again, against tiktoken in the same run.", ""]
    for encoding, results in data["results"].items():
        lines += [f"## {encoding}", "", "| texts | MB | tokens | first | again | tiktoken | ratio |",
                  "| --- | --: | --: | --: | --: | --: | --: |"]
        lines += [f"| {r['name']} | {r['bytes'] / 1e6:.1f} | {r['tokens']:,} | {r['first_mb_s']:.0f} | {r['warm_mb_s']:.0f}"
                  f" | {r['tiktoken_mb_s']:.1f} | {r['ratio']:.1f} |" for r in results["parts"]]
        lines += ["", "A megabyte without a break (tiktoken: the first 20 kB of it):", "",
                  "| text | tokens | MB/s | tiktoken |", "| --- | --: | --: | --: |"]
        lines += [f"| {r['name']} | {r['tokens']:,} | {r['warm_mb_s']:.0f} | {r['tiktoken_mb_s']:.1f} |"
                  for r in results["whole"]]
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="ops/bench tokens")
    parser.add_argument("--megabytes", type=int, default=20, help="of text (default 20)")
    options = parser.parse_args()
    folder = subprocess.run([os.path.join(ROOT, "ops/setup"), "--where", "data"], check=True, capture_output=True,
                            text=True).stdout.strip()
    texts = corpora(folder, options.megabytes)
    texts = {"all of them": [text for some in texts.values() for text in some]} | texts
    results = {}
    encoders = encoders_of_both()
    for encoding in VOCABULARIES:
        encode = encoders[encoding][0]
        results[encoding] = {"parts": [measure(encoding, name, some, encode) for name, some in texts.items()],
                             "whole": [measure_whole(encoding, name, text, encode)
                                       for name, text in without_breaks().items()]}
    data = {"benchmark": "tokens", "machine": report.machine(), "options": vars(options), "results": results}
    report.write("tokens", data, markdown(data))


main()
