# SPDX-License-Identifier: Apache-2.0
"""A build backend (PEP 517) that answers pip's question for metadata from the package's
PKG-INFO and runs none of its code. For `pip download` only: it cannot build."""

import pathlib


class __legacy__:
    @staticmethod
    def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
        fields = pathlib.Path("PKG-INFO").read_text(encoding="utf-8").splitlines()
        known = dict(line.split(": ", 1) for line in fields[:3])
        name, version = known["Name"], known["Version"]
        info = pathlib.Path(metadata_directory, f"{name}-{version}.dist-info")
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
        )
        return info.name
