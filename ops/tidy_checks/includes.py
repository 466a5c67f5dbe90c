# SPDX-License-Identifier: Apache-2.0
"""The rings: schemas <- pipeline <- adapters and driver <- the program. Who may include whom, and which
folders may include which library."""

import re

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

# A folder may include itself, all of its own row, and nothing else. The longest prefix counts.
_CORE = ("schemas", "ba/v1", "pipeline")
# The folders of pipeline/; each may include those before it, so that there is no circle. `text/` holds libraries of
# text, `core/` what decides; two libraries stand on the core's values (answers on results of tools, contracts on jobs).
_ORDER = ("base", "core/port", "text/token", "text/semantic", "text/tokenizer", "text/message", "text/secret", "text/carrier",
          "text/encoding", "core/job", "core/tool", "text/answer", "core/skill", "core/artifact", "core/cache",
          "core/model", "core/metrics", "core/ledger", "core/sub_agent", "text/contract", "core/intake", "core/outbox",
          "core/context", "core/conversation")
_PIPELINE = tuple(f"pipeline/{folder}" for folder in _ORDER)
# The narrow faces of the libraries: all of them that what decides may include.
_FACES = {
    "answer": ("answer",),
    "contract": ("dead_letter", "encode_result", "make_outbox_records", "publication", "replacement",
                 "result_id"),
    "encoding": ("encoding", "json_document", "xml"),
    "message": ("history_check", "job_time", "json_proof", "json_text", "langchain_json", "message", "migration",
                "position", "token_estimate", "utf8", "validate"),
    "semantic": ("schema_walk", "semantic_key", "semantic_parameters"),
}
_FACES = {f"pipeline/text/{folder}/{name}.hpp" for folder, names in _FACES.items() for name in names}
_ADAPTERS = ("storage", "worker/http", "worker/kafka", "worker/llm", "worker/mcp", "worker/trace")
# A family of tools is a folder of worker/tools, and needs no word here unless it includes another one.
_TOOLS = "worker/tools"
_FAMILY = (*_CORE, "storage/libpq", "worker/http", "worker/config", "worker/settings", "worker/tools/base")
_MAY_INCLUDE = {
    "schemas": ("schemas", "ba/v1"),
    "pipeline": ("pipeline",),
    **{folder: _PIPELINE[: index + 1] for index, folder in enumerate(_PIPELINE)},
    "pipeline/text/contract": (*_PIPELINE[: _ORDER.index("text/contract") + 1], "schemas", "ba/v1"),
    **{adapter: (*_CORE, adapter) for adapter in _ADAPTERS},
    "worker/settings": (*_CORE, "storage/libpq", "worker/http", "worker/settings"),  # URLs
    "worker/llm": (*_CORE, "worker/http", "worker/llm"),
    "worker/mcp": (*_CORE, "worker/http", "worker/settings", "worker/tools/base", "worker/mcp"),  # how a tool is made
    _TOOLS: (*_CORE, *_ADAPTERS, "worker/config", "worker/settings", _TOOLS),
    "worker/tools/base": (*_CORE, "worker/http", "worker/settings", "worker/tools/base"),
    "worker/tools/command": (*_FAMILY, "worker/tools/files", "worker/tools/command"),  # a file below a root
    "worker/tools/http_service": (*_CORE, "worker/http", "worker/settings", "worker/tools/base", "worker/tools/http_service"),
    "worker/tools/search": (*_FAMILY, "worker/tools/http_service", "worker/tools/search"),
    "worker/tools/vector": (*_FAMILY, "worker/tools/http_service", "worker/tools/sql", "worker/tools/vector"),
    "worker/trace": (*_CORE, "worker/http", "worker/trace"),
    "worker/observe": (*_CORE, "worker/observe"),
    "worker/config": (*_CORE, *_ADAPTERS, _TOOLS, "worker/observe", "worker/settings", "worker/config"),  # each part's own structs
    "worker/driver": (*_CORE, "worker/driver"),
    "worker/cli": (*_CORE, *_ADAPTERS, _TOOLS, "worker/observe", "worker/settings", "worker/config",
                   "worker/version", "worker/cli"),
    "worker/cli/program": (*_CORE, *_ADAPTERS, _TOOLS, "worker/observe", "worker/config", "worker/settings", "worker/version",
                            "worker/cli/program"),  # what knows no command
    "worker/runtime": (*_CORE, *_ADAPTERS, _TOOLS, "worker/driver", "worker/observe", "worker/settings", "worker/config",
                       "worker/version", "worker/runtime"),
    "worker": (*_CORE, *_ADAPTERS, "worker"),
    "worker/bench": (*_CORE, *_ADAPTERS, "worker"),
    "worker/version": ("worker/version",),
    "ops": (*_CORE, "ops"),
    "tests": (*_CORE, "storage", "worker", "ops", "tests"),
}

# Each library with the folders that may include it, mostly one adapter; tests may include any.
_LIBRARIES = (
    (r"librdkafka/", ("worker/kafka",)),
    (r"libpq-fe\.h|libpq/|postgresql/libpq", ("storage", "worker/tools/sql/connection")),
    (r"pg_query", ("worker/tools/sql/statement",)),
    (r"seccomp\.h", ("worker/tools/command",)),
    (r"curl/", ("worker/http",)),
    (r"yaml-cpp/", ("worker/settings", "tests/scripted_model")),
    (r"CLI/", ("worker/cli", "tests/scripted_model")),
    (r"prometheus/|spdlog/", ("worker/observe",)),
    (r"valijson/", ("pipeline/core/tool",)),
    (r"google/protobuf/", ("pipeline/text/contract",)),
    (r"openssl/", ("pipeline/text/contract", "pipeline/text/semantic", "storage/libpq")),
    (r"nlohmann/", ("pipeline/text/answer", "pipeline/base", "pipeline/text/contract", "pipeline/text/encoding", "pipeline/text/message", "pipeline/text/semantic", "pipeline/core/skill", "pipeline/text/tokenizer", "pipeline/core/tool",
                    "storage/ledger", "worker", "ops")),
    (r"utf8proc", ("pipeline/text/semantic",)),
    (r"oniguruma", ("pipeline/text/tokenizer",)),
    (r"date/", ("pipeline/base",)),
    (r"re2/", ("pipeline/text/answer", "tests/scripted_model")),
    (r"boost/system/", ("pipeline/base",)),
    (r"boost/(asio|beast)", ("worker/http", "worker/mcp", "worker/observe", "worker/runtime", "worker/trace", "ops")),
)
_LIBRARIES = tuple((re.compile(pattern), folders) for pattern, folders in _LIBRARIES)


def _below(path, folder):
    return path == folder or path.startswith(folder + "/")


def _allowed(path):
    best = max((f for f in _MAY_INCLUDE if _below(path, f)), key=len, default=None)
    if best == _TOOLS and path.count("/") > _TOOLS.count("/") + 1:
        family = "/".join(path.split("/")[:3])
        return family, (*_FAMILY, family)
    return best, _MAY_INCLUDE.get(best, ())


def _check_own(path, included):
    if ".." in included.split("/"):
        return f'"{included}": include by the path from the root'
    folder, allowed = _allowed(path)
    if folder is None or any(_below(included, other) for other in allowed):
        return None
    if "/" not in included:
        return f'"{included}": include by the path from the root'
    return f'"{included}": {folder} may include only {", ".join(allowed)}'


def _check_face(path, included):
    if _below(path, "pipeline/core") and _below(included, "pipeline/text") and included not in _FACES:
        return f'"{included}": no face of its library (_FACES): what decides includes no more of it'
    return None


def _check_library(path, included):
    if _below(path, "tests"):
        return None
    for pattern, folders in _LIBRARIES:
        if pattern.match(included) and not any(_below(path, f) for f in folders):
            return f'<{included}>: this library is used in {" and ".join(folders)} only'
    return None


def _without_place(tree):
    """Folders of the core and the worker whose rules nobody has written: they could include anything."""
    places = (re.match(r"pipeline/(?:core/|text/)?[^/]+(?=/)|worker/[^/]+(?=/)", path) for path in tree.cpp())
    folders = {place.group() for place in places if place}
    return [
        f"{folder}:1: this folder has no place in ops/tidy_checks/includes.py"
        f" ({'_ORDER' if folder.startswith('pipeline/') else '_MAY_INCLUDE'})"
        for folder in sorted(folders - set(_MAY_INCLUDE))
    ]


def check(tree):
    findings = _without_place(tree)
    for path in tree.cpp():
        text = tree.text(path)
        for match in _INCLUDE.finditer(text):
            own, library = match.groups()
            finding = _check_own(path, own) or _check_face(path, own) if own else _check_library(path, library)
            if finding:
                findings.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {finding}")
    return findings
