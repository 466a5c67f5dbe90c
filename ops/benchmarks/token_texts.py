# SPDX-License-Identifier: Apache-2.0
"""What `ops/bench tokens` counts: text of this machine and of this project, in parts as long as a message may be, and
text that is made to be hard."""

import base64
import glob
import os
import random

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PART = 16 * 1024


def parts(data):
    return [data[at:at + PART] for at in range(0, len(data), PART)]


def files(patterns, most):
    """Up to `most` bytes of text files, spread over what the patterns find."""
    found = sorted({path for pattern in patterns for path in glob.glob(pattern, recursive=True) if os.path.isfile(path)})
    random.Random(1).shuffle(found)
    data = b""
    for path in found:
        if len(data) >= most:
            break
        with open(path, "rb") as file:
            head = file.read(200_000)
        if b"\0" not in head:
            data += head
    return data[:most]


def written(alphabet, most, seed):
    """Words of 1 to 8 characters in sentences."""
    dice = random.Random(seed)
    text = []
    size = 0
    while size < most:
        word = "".join(dice.choices(alphabet, k=dice.randint(1, 8))) + dice.choice((" ", " ", " ", ", ", ". ", "\n"))
        text.append(word)
        size += len(word.encode())
    return "".join(text).encode()


def letters(first, last):
    return [chr(code_point) for code_point in range(first, last)]


def corpora(data_folder, megabytes):
    """Name to parts; together about so many megabytes."""
    share = megabytes * 1_000_000 // 20
    dice = random.Random(2)
    emoji = [chr(c) for c in range(0x1F600, 0x1F650)] + ["\U0001f469\u200d\U0001f4bb", "\U0001f44d\U0001f3fd", " ok "]
    made = {
        "prose and documents": files(["/usr/share/doc/**/README*", "/usr/share/doc/**/*.txt", "/usr/share/doc/**/*.md",
                                      "/usr/share/common-licenses/*", f"{ROOT}/**/*.md"], 5 * share),
        "code": files(["/usr/include/**/*.h", "/usr/include/**/*.hpp", "/usr/lib/python3*/**/*.py",
                       f"{ROOT}/**/*.cpp", f"{ROOT}/**/*.py"], 7 * share),
        "tables": files([f"{data_folder}/**/*.csv"], 3 * share),
        "Chinese, Japanese, Korean": written(letters(0x4E00, 0x5600) + letters(0x3041, 0x3090) + letters(0xAC00, 0xAE00),
                                             2 * share, 3),
        "Cyrillic, Arabic, Hindi": written(letters(0x430, 0x450) + letters(0x627, 0x64A) + letters(0x905, 0x939),
                                           share, 4),
        "emoji": "".join(dice.choices(emoji, k=share // 5)).encode(),
        "base64": base64.b64encode(dice.randbytes(share * 3 // 4)),
        "broken UTF-8": dice.randbytes(share // 2),
    }
    return {name: parts(data) for name, data in made.items() if data}


def without_breaks():
    """A megabyte each."""
    dice = random.Random(5)
    size = 1_000_000
    return {
        "one letter": b"a" * size, "spaces": b" " * size, "line ends": b"\n" * size, "tabs": b"\t" * size,
        "one sign": b"^" * size, "digits": b"1" * size,
        "any letters": bytes(dice.choices(b"abcdefghijklmnopqrstuvwxyz", k=size)),
        "any signs": bytes(dice.choices(b"!@#$%^&*()_+-=[]{}|;:,.<>?", k=size)),
        "base64 in one line": base64.b64encode(dice.randbytes(size * 3 // 4)),
        "Chinese characters": "".join(chr(dice.randint(0x4E00, 0x9FFF)) for _ in range(size // 3)).encode(),
        "any bytes": dice.randbytes(size),
    }
