# SPDX-License-Identifier: Apache-2.0
"""A password as PostgreSQL keeps it, made here: scram.py reads it from stdin and prints the verifier, which stands where
the server takes a password (RFC 5803, chapter 53.2 of PostgreSQL's manual).

The number of iterations makes guessing dear. The server's own 4,096 cost each new session of a client 4 ms, and a
password of 128 random bits or more isn't guessed: one iteration is enough for it, and for nothing that people choose."""

import base64
import hashlib
import hmac
import secrets
import sys

_ITERATIONS = 1
_SALT_BYTES = 16


def _base64(data):
    return base64.b64encode(data).decode("ascii")


def verifier(password):
    salt = secrets.token_bytes(_SALT_BYTES)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ITERATIONS)
    client, server = (hmac.digest(salted, name, "sha256") for name in (b"Client Key", b"Server Key"))
    return f"SCRAM-SHA-256${_ITERATIONS}:{_base64(salt)}${_base64(hashlib.sha256(client).digest())}:{_base64(server)}"


if __name__ == "__main__":
    print(verifier(sys.stdin.read().rstrip("\n")))
