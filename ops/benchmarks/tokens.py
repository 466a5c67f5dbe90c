# SPDX-License-Identifier: Apache-2.0
"""Exact numbers of tokens in the vocabularies o200k_base and cl100k_base, each counted twice: by tiktoken and by
bpe-openai, another implementation. tiktoken would fetch its vocabularies; it is given those of the other's
package and refuses them, with nothing to fetch others by, unless they have its publisher's checksum."""

import gzip
import hashlib
import importlib.resources
import os
import tempfile

VOCABULARIES = ("o200k_base", "cl100k_base")
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


def _place_vocabularies(folder):
    """Where tiktoken looks before it asks the network: a file by the hash of its address."""
    for name in VOCABULARIES:
        packed = importlib.resources.files("bpe_openai.data").joinpath(f"{name}.tiktoken.gz").read_bytes()
        file_name = hashlib.sha1(_ADDRESS.format(name).encode()).hexdigest()
        with open(os.path.join(folder, file_name), "wb") as file:
            file.write(gzip.decompress(packed))


def encoders_of_both():
    """By vocabulary: what encodes with tiktoken, and with bpe-openai."""
    # pylint: disable=import-error,import-outside-toplevel
    import bpe_openai
    import tiktoken

    with tempfile.TemporaryDirectory() as folder:
        _place_vocabularies(folder)
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        return {name: (tiktoken.get_encoding(name).encode_ordinary, bpe_openai.get_encoding(name).encode_ordinary)
                for name in VOCABULARIES}


class TokenCounter:
    """`encoders`: by vocabulary the functions that must agree, text to tokens."""

    def __init__(self, encoders=None):
        self._encoders = encoders or encoders_of_both()

    def count(self, text):
        """Tokens by vocabulary."""
        counts = {}
        for name, encoders in self._encoders.items():
            first, *others = [list(encode(text)) for encode in encoders]
            if any(other != first for other in others):
                raise SystemExit(f"{name}: the implementations don't agree on {text[:200]!r}")
            counts[name] = len(first)
        return counts
