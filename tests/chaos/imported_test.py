# SPDX-License-Identifier: Apache-2.0
"""Whether the checks find what is wrong with imported conversations; part of checker_test.py."""

from held import FORMS, Held, held_of
from imported import Imported
from rig.database import psql
from tenants import TENANTS

_FIRST = "(SELECT min(id) FROM ba.conversations WHERE starts_with(conversation_id, 'held-'))"
_OF_FIRST = f"ba.inherited_messages WHERE conversation = {_FIRST}"
_MESSAGES_BACK = "DELETE FROM ba.inherited_messages; INSERT INTO ba.inherited_messages TABLE public.good_messages"
_FIRST_REPLY = "UPDATE ba.steps SET message = replace(message::text, 'after {}', 'after {}')::json"
# What is done to the first conversation or to the replies, what undoes it, and a part of the violation.
_SPOILT = (
    (f"DELETE FROM {_OF_FIRST} AND n = 2", _MESSAGES_BACK, "was imported as [('human'"),
    (f"DELETE FROM {_OF_FIRST}", _MESSAGES_BACK, "was imported as []"),
    (f"UPDATE ba.inherited_messages SET n = 1000 - n WHERE conversation = {_FIRST}", _MESSAGES_BACK,
     "was imported as [('ai'"),
    (f"INSERT INTO ba.inherited_messages (conversation, n, message) SELECT conversation, n + 1000, message FROM {_OF_FIRST}",
     _MESSAGES_BACK, "was imported as [('human'"),
    (f"UPDATE ba.conversations SET imported_by = NULL WHERE id = {_FIRST}",
     f"UPDATE ba.conversations SET imported_by = 'chaos' WHERE id = {_FIRST}", "was begun by a job, and not imported"),
    (f"UPDATE ba.conversations SET conversation_id = '_' || conversation_id WHERE id = {_FIRST}",
     "UPDATE ba.conversations SET conversation_id = ltrim(conversation_id, '_')", "was imported, and is not there"),
    (_FIRST_REPLY.format("", "none, "), _FIRST_REPLY.format("none, ", ""), "was first told 'asked"),
)


def import_some(installation):
    """One in each form, of each tenant in turn; the jobs that go on with them."""
    number = 0
    jobs = []
    for tenant, form in zip(TENANTS, FORMS):
        number = next(n for n in range(number, 1000) if Held(tenant, n).form == form)
        held = Held(tenant, number)
        installation.answer("import", "--format", form, "--tenant", tenant, "--conversation", held.conversation_id, "--by",
                            "chaos", given=held.file())
        jobs.append(held.job())
    return jobs


def imports_are_checked(installation, jobs):
    url = installation.database.url
    done = [held for held in map(held_of, jobs) if held]
    assert not Imported(installation, done).violations
    said = Imported(installation, done[1:]).violations
    assert said == [f"{done[0].name} is there, and nobody was told of it"], said
    psql(url, "CREATE TABLE public.good_messages AS TABLE ba.inherited_messages")
    for statement, back, word in _SPOILT:
        psql(url, statement)
        said = Imported(installation, done).violations
        assert any(word in violation for violation in said), f"not found: {word}, but {said}"
        psql(url, back)
        assert not Imported(installation, done).violations
    psql(url, "DROP TABLE public.good_messages")
