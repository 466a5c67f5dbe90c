# SPDX-License-Identifier: Apache-2.0
"""Writes the vocabularies of pipeline/text/token/vocabulary from the published ones: the tokens in the order of their
ranks, each a byte with its length and its bytes. Python of `ops/setup --with tokens`."""

import base64
import gzip
import hashlib
import importlib.resources
import os
import sys

# Of the unpacked files, as their publisher gives them (tiktoken, tiktoken_ext/openai_public.py).
PUBLISHED = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


def packed(name):
    data = gzip.decompress(importlib.resources.files("bpe_openai.data").joinpath(f"{name}.tiktoken.gz").read_bytes())
    if hashlib.sha256(data).hexdigest() != PUBLISHED[name]:
        sys.exit(f"{name}: not the published vocabulary")
    out = bytearray()
    for rank, line in enumerate(data.splitlines()):
        token, given = line.split()
        token = base64.b64decode(token)
        if int(given) != rank or not 1 <= len(token) <= 255:
            sys.exit(f"{name}: line {rank + 1} is not as expected")
        out += bytes([len(token)]) + token
    return bytes(out)


def main():
    folder = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../pipeline/text/token/vocabulary")
    for name in PUBLISHED:
        with open(os.path.join(folder, f"{name}.vocabulary"), "wb") as file:
            file.write(packed(name))


main()
