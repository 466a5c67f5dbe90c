# SPDX-License-Identifier: Apache-2.0
"""The checks of notes and of kept results find what is wrong: each time from what is right."""

import os

from kept_results import KeptResults
from notes import Notes
from rig.database import psql

# What is done to the lines of the notes, and a word of the violation.
_NOTES = (
    (lambda lines: lines + lines[:1], "succeeded, and is there 2 times"),
    (lambda lines: lines[1:], "succeeded, and is there 0 times"),
    (lambda lines: lines + ["by-nobody\n"], "no call wrote the note by-nobody"),
)
# What is done to the ledger, what undoes it, and a word of the violation.
_KEPT = (
    ("UPDATE ba.tool_calls SET error_code = 'ARTIFACT_NOT_FOUND' WHERE tool_name = 'file_reader'",
     "UPDATE ba.tool_calls SET error_code = NULL WHERE tool_name = 'file_reader'", "was led nowhere"),
    ("UPDATE ba.tool_results SET step = step + 100 WHERE key = (SELECT min(key) FROM ba.tool_results)",
     "UPDATE ba.tool_results SET step = step - 100 WHERE step > 100", "came from a call that is unknown"),
)


def _said(found, word):
    assert any(word in violation for violation in found), f"not found: {word}, but {found}"


def _notes_are_checked(installation):
    with open(installation.notes, encoding="utf-8") as file:
        good = file.readlines()
    for change, word in _NOTES:
        with open(installation.notes, "w", encoding="utf-8") as file:
            file.writelines(change(good))
        _said(Notes(installation).violations, word)
    with open(installation.notes, "w", encoding="utf-8") as file:
        file.writelines(good)
    assert not Notes(installation).violations


def results_are_checked(installation):
    """Needs a worker at rest."""
    _notes_are_checked(installation)
    for spoil, mend, word in _KEPT:
        psql(installation.database.url, spoil)
        _said(KeptResults(installation, 0).violations, word)
        psql(installation.database.url, mend)
    left = os.path.join(installation.artifacts, "left")
    with open(left, "w", encoding="utf-8"):
        pass
    _said(KeptResults(installation, 0).violations, "is left of artifacts")
    os.remove(left)
    assert not KeptResults(installation, 0).violations
