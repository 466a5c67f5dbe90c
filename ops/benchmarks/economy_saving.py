# SPDX-License-Identifier: Apache-2.0
"""Whether what a worker's reports say that it saved is what the plain loop was billed more. The worker counts tokens that were
not sent by a tokenizer that cuts text as the scripted model bills it: four bytes a token, of the text as it stands in a request,
where quotes and breaks of lines take two."""

import json
import os

_MODEL_ID = "scripted-1"
# What is left: pieces of five bytes, cache marks, reminders, which a plain loop doesn't send.
TOLERANCE = 0.1  # of the plain loop's bill
_ONE, _TWO = r'[^"\\\n\r\t]', r'["\\\n\r\t]'
_PIECE = "|".join((_TWO * 2, f"{_TWO}{_ONE}{{2}}", f"{_ONE}{_TWO}{_ONE}", f"{_ONE}{{2}}{_TWO}", f"{_ONE}{{3}}(?:{_ONE}|{_TWO})",
                   f"{_ONE}{{1,3}}", _TWO))
TOKENIZER = {
    "added_tokens": [], "normalizer": None,
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": _PIECE}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]},
    "model": {"type": "BPE", "vocab": {"piece": 0}, "merges": [], "unk_token": "piece", "fuse_unk": True}}


def count_as_billed(home):
    """The environment of a worker that counts so."""
    folder = os.path.join(home, ".ba-agent")
    os.makedirs(folder)
    with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as file:
        json.dump(TOKENIZER, file)
    with open(os.path.join(folder, "token_encoders.yaml"), "w", encoding="utf-8") as file:
        json.dump({"encoders": {_MODEL_ID: {"encoding_name": "as_billed", "encoder_params": {
            "tokenizer_file": "tokenizer.json"}}}}, file)
    return {"HOME": home}


def told_micro_usd(deployment, ids):
    """By the reports of these jobs, for SQL's IN."""
    return int(deployment.database.value(
        "SELECT coalesce(sum((m.report->>'saved_micro_usd')::bigint), 0) AS n FROM metrics m JOIN jobs j ON j.id = m.job"
        f" WHERE j.job_id IN ({ids})"))


def compared(told, plain, worker):
    """What was told beside the difference of the two bills, all in micro-dollars."""
    billed = plain - worker
    return {"told_micro_usd": told, "billed_micro_usd": billed, "agree": abs(told - billed) <= TOLERANCE * plain}
