# SPDX-License-Identifier: Apache-2.0
"""Writes tests/pipeline/text/tokenizer/data: small tokenizers of each known build, and texts with their numbers of tokens by the
package tokenizers. With a folder and a number: so many texts there instead, to be compared by hand. Python of
`ops/setup --with tokens`. What is written follows from the seed."""

import glob
import json
import os
import random
import sys

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.join(HERE, "../..")
sys.path.insert(0, HERE)

# pylint: disable=wrong-import-position
from known_counts import PARTS

QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
LLAMA = QWEN.replace(r"|\p{N}| ", r"|\p{N}{1,3}| ")
DEEPSEEK = (r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
            r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
            r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def split(pattern, behavior="isolated", invert=False):
    return pre_tokenizers.Split(pattern if isinstance(pattern, str) else Regex(pattern[0]), behavior, invert)


def sequence(*steps):
    return pre_tokenizers.Sequence(list(steps))


def letters(**options):
    return pre_tokenizers.ByteLevel(**{"add_prefix_space": False, "use_regex": False, **options})


# Name to (pre-tokenizer, normalizer, options of the model, added tokens).
BUILDS = {
    "gpt2": (letters(use_regex=True), None, {}, ["<|endoftext|>"]),
    "prefixed": (sequence(pre_tokenizers.Digits(individual_digits=False), letters(use_regex=True, add_prefix_space=True)),
                 normalizers.NFKC(), {}, [AddedToken("the", single_word=True, special=True),
                                          AddedToken("<s>", lstrip=True, rstrip=True, normalized=False)]),
    "qwen": (sequence(split([QWEN]), letters()), normalizers.NFC(), {},
             ["<|im_start|>", "<|im_end|>", AddedToken("<think>", special=False, normalized=False),
              AddedToken("e\u0301t", special=False, normalized=True)]),
    "llama": (sequence(split([LLAMA]), letters()), None, {"ignore_merges": True}, ["<|begin_of_text|>", "<|begin|>", "<|"]),
    "deepseek": (sequence(*(split([pattern]) for pattern in DEEPSEEK), letters()),
                 normalizers.Sequence([]), {}, ["<\uff5cbegin\u2581of\u2581sentence\uff5c>"]),
    "starcoder": (sequence(pre_tokenizers.Digits(individual_digits=True), letters(use_regex=True)), None, {}, ["<fim_prefix>"]),
    "cuts": (sequence(split(["x+"], "merged_with_previous"), split(" ", "merged_with_next"), split(["[0-9]"], "contiguous"),
                      split(["[-/]"], "removed"), split([r"\w+"], "isolated", True), split(".", "removed"), letters()),
             normalizers.NFD(), {"unk_token": "<unk>", "fuse_unk": True}, ["<unk>"]),
}
# Trained without the letters of all bytes.
POOR = ("cuts", "starcoder")


def material():
    documents = sorted(glob.glob(os.path.join(ROOT, "pipeline/**/README.md")) + glob.glob(os.path.join(ROOT, "pipeline/text/message/*.cpp")))
    for name in documents:
        with open(name, encoding="utf-8") as file:
            yield file.read()
    yield " ".join(PARTS) * 3


def built(name):
    pre_tokenizer, normalizer, options, added = BUILDS[name]
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    alphabet = [] if name in POOR else pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=700, initial_alphabet=alphabet, show_progress=False,
                                  special_tokens=[token for token in added if isinstance(token, str)])
    tokenizer.train_from_iterator(material(), trainer)
    tokenizer.add_tokens([token for token in added if not isinstance(token, str)])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def texts(name, number):
    dice = random.Random(name)
    own = [token if isinstance(token, str) else token.content for token in BUILDS[name][3]]
    yield from ("", " ", *PARTS, *own)
    for _ in range(number):
        yield "".join(dice.choice(own if dice.random() < 0.05 else PARTS) for _ in range(dice.randint(2, 14)))


def main():
    folder = sys.argv[1] if len(sys.argv) > 2 else os.path.join(ROOT, "tests/pipeline/text/tokenizer/data")
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    os.makedirs(folder, exist_ok=True)
    for name in BUILDS:
        tokenizer = built(name)
        tokenizer.save(os.path.join(folder, f"{name}.json"), pretty=False)
        with open(os.path.join(folder, f"{name}.jsonl"), "w", encoding="ascii") as file:
            for text in texts(name, number):
                count = len(tokenizer.encode(text, add_special_tokens=False).ids)
                file.write(json.dumps({"id": count, "text": text}) + "\n")


if __name__ == "__main__":
    main()
