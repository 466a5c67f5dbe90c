# SPDX-License-Identifier: Apache-2.0
"""A private authority and what it signs, made by openssl: certificates.py FOLDER NAME[=ALTNAME]...
makes the authority where there is none yet, and each certificate that isn't there: NAME.crt, NAME.key and
NAME.pem with both. ALTNAME is what a server is called by, as IP:127.0.0.1 or DNS:model.stack.test; without
one it is a client's, whose name is NAME. Needs nothing but Python, since ops/stack runs it as it is."""

import os
import subprocess
import sys

_DAYS = "3650"


def _openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], check=False, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"openssl {' '.join(arguments)}: {done.stdout}")


class Authority:
    """In a folder that only its owner reads."""

    def __init__(self, folder):
        self.folder = folder
        self.ca_file = os.path.join(folder, "ca.pem")
        self._key = os.path.join(folder, "ca.key")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not os.path.exists(self.ca_file):
            fresh = self.ca_file + ".new"
            _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", _DAYS, "-subj", "/CN=ba-agent stack",
                     "-keyout", self._key, "-out", fresh)
            os.replace(fresh, self.ca_file)

    def path(self, name, kind):
        return os.path.join(self.folder, f"{name}.{kind}")

    def issue(self, name, altname=None):
        """NAME.pem of the pair; it comes last, so that what is there is whole."""
        both = self.path(name, "pem")
        if os.path.exists(both):
            return both
        key, certificate = self.path(name, "key"), self.path(name, "crt")
        use = f"subjectAltName={altname}\nextendedKeyUsage=serverAuth,clientAuth" if altname else \
            "extendedKeyUsage=clientAuth"
        extensions = self.path(name, "extensions")
        with open(extensions, "w", encoding="ascii") as file:
            file.write(f"basicConstraints=CA:FALSE\n{use}\n")
        request = self.path(name, "request")
        _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.ca_file, "-CAkey", self._key, "-days", _DAYS,
                 "-CAcreateserial", "-extfile", extensions, "-out", certificate)
        os.remove(request)
        os.remove(extensions)
        with open(both + ".new", "w", encoding="ascii") as file:
            for part in (key, certificate):
                with open(part, encoding="ascii") as one:
                    file.write(one.read())
        os.replace(both + ".new", both)
        return both


if __name__ == "__main__":
    os.umask(0o077)
    AUTHORITY = Authority(sys.argv[1])
    for argument in sys.argv[2:]:
        AUTHORITY.issue(argument.partition("=")[0], argument.partition("=")[2] or None)
