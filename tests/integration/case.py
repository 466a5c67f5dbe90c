# SPDX-License-Identifier: Apache-2.0
"""What a test is given, and how it is named."""

import dataclasses
import os
import re
from typing import Callable

from rig.deployment import Deployment
from rig.stack import Stack


@dataclasses.dataclass
class Lab:
    """The stack all share and a folder for what this test leaves behind."""

    stack: Stack
    folder: str
    large: bool

    def deployment(self, settings=None, **model):
        """An installation of its own; `model` are options of the scripted model."""
        return Deployment(self.stack, self.folder, settings, model)


@dataclasses.dataclass
class Case:
    name: str
    run: Callable[[Lab], None]
    alone: bool = False  # it disturbs the servers that the others use
    secure: bool | None = None  # whether it takes a secure stack, or one that isn't; None: either will do
    why: str = ""  # that is

    def folder_name(self):
        return re.sub(r"[^A-Za-z0-9]+", "-", self.name).strip("-")


LARGE = os.environ.get("BA_TEST_SIZE") == "large"
