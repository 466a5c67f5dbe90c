# SPDX-License-Identifier: Apache-2.0
"""Writes tests/pipeline/text/token/data/counts.jsonl: texts, most of them nasty, with their numbers of tokens by tiktoken.
Python of `ops/setup --with tokens`. The texts follow from the seed."""

import json
import os
import random
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../benchmarks"))

# pylint: disable=wrong-import-position
from tokens import TokenCounter

PARTS = [" ", "  ", "\n", "\r\n", "\t", "'s", "'S", "'ll", "'LL", "'re", "'\u017f", "\u017f", "don't", "I'D", "a", "B", "ab", "Ab",
         "AB", "aB", "\u00e9", "\u00c9", "\u01c5", "\u02b0", "\u3042", "\u6f22\u5b57", "\u4e2d", "\u0663", "\u00bd", "\u2167", "123",
         "1", "12345", "!", "?!", "...", "/", "//", "\\", "\n/", "/\n", "\u0301", "\u0308", "\u200b", "\ufeff", "\u0085", "\u00a0",
         "\u2028", "\U0001f642", "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\ud55c\uae00", "\u0642", "\u05e9", "\u0915\u093f", "_",
         "-", "--", "(", ")", "{}", "==", "<|endoftext|>", "x" * 17, "the", "The", " quick", "\u00df", "\u0130", "\u0131", "\u03a9",
         "\u03c3", "\u03c2", "\u10d0", "\u1c90", "\U0001d49c", "\U00010400", "\x00", "\x7f", "\ufffd"]
PLAIN = ["", " ", "\n", "hello world", "Why did March revenue fall in the north?", "a \ufeff b \ufeff\ufeffc", "I'\u017fay",
         " \n ", "a \n  b", "tail   ", "<|endoftext|><|fim_prefix|>", "SELECT carrier, count(*) FROM flights GROUP BY 1;",
         '{"rows":[{"carrier":"UA","n":58665}]}', "\u6211\u4eec\u4e3a\u4ec0\u4e48\u5728\u4e09\u6708\u4efd\u6536\u5165\u4e0b\u964d\uff1f",
         "\u041f\u043e\u0447\u0435\u043c\u0443 \u0443\u043f\u0430\u043b\u0430 \u0432\u044b\u0440\u0443\u0447\u043a\u0430?", "a" * 1000, " " * 1000, "\n" * 300, "1" * 1000,
         "ab" * 300, "!" * 200, "\t" * 200, "=-" * 100]


def texts():
    dice = random.Random(2026)
    yield from PLAIN
    for _ in range(1500):
        yield "".join(dice.choice(PARTS) for _ in range(dice.randint(1, 14)))
    for _ in range(300):
        points = (dice.choice((dice.randint(0, 0x2FF), dice.randint(0, 0xD7FF), dice.randint(0xE000, 0x10FFFF)))
                  for _ in range(dice.randint(1, 10)))
        yield "".join(map(chr, points))


def main():
    counter = TokenCounter()
    with open(os.path.join(HERE, "../../tests/pipeline/text/token/data/counts.jsonl"), "w", encoding="ascii") as file:
        for text in texts():
            file.write(json.dumps({"text": text} | counter.count(text)) + "\n")


if __name__ == "__main__":
    main()
