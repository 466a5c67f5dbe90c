# SPDX-License-Identifier: Apache-2.0
"""What all providers ask of a list of tools, whatever they wrap each in."""

import re

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_COMBINING = ("oneOf", "anyOf", "allOf", "enum", "not")


def bad_names(names):
    for index, name in enumerate(names):
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield f"tools[{index}].name: {name!r} does not match '^{NAME.pattern}$'"
        elif name in names[:index]:
            yield f"tools[{index}].name: {name!r} is there twice"


def bad_schemas(schemas, combining=_COMBINING):
    """`combining`: the keywords that must not stand at the top."""
    for index, schema in enumerate(schemas):
        if not isinstance(schema, dict) or schema.get("type") != "object":
            yield f"tools[{index}]: schema must have type 'object'"
            continue
        for word in combining:
            if word in schema:
                yield f"tools[{index}]: schema must not have {word!r} at the top level"
        yield from _bad_parts(schema, f"tools[{index}]")


def _bad_parts(schema, place):
    """Parts that no reader of JSON Schema takes."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{place}: a schema must be an object"
        return
    required = schema.get("required", [])
    if not isinstance(required, list) or len(set(required)) != len(required):
        yield f"{place}.required: must be a list of different names"
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        yield f"{place}.properties: must be an object"
        return
    for name, part in properties.items():
        yield from _bad_parts(part, f"{place}.properties.{name}")
    if "items" in schema:
        yield from _bad_parts(schema["items"], f"{place}.items")


def bad_keys(schemas):
    """Names of properties that Anthropic doesn't take."""
    for index, schema in enumerate(schemas):
        for name in schema.get("properties", {}):
            if not _KEY.fullmatch(name):
                yield f"tools[{index}].properties: {name!r}: Property keys should match pattern '^{_KEY.pattern}$'"


def arrays_of_nothing(schema, place):
    """Arrays that don't say of what, which OpenAI doesn't take."""
    if not isinstance(schema, dict):
        return
    kinds = schema.get("type", [])
    if "array" in (kinds if isinstance(kinds, list) else [kinds]) and "items" not in schema:
        yield f"{place}: array schema missing items"
    for name, part in schema.get("properties", {}).items():
        yield from arrays_of_nothing(part, f"{place}.{name}")
    yield from arrays_of_nothing(schema.get("items"), f"{place}.items")
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, []):
            yield from arrays_of_nothing(part, f"{place}.{word}")


def each_schema(schema, place):
    """A schema and all within it, each with where it is."""
    if not isinstance(schema, dict):
        return
    yield place, schema
    for name, part in schema.get("properties", {}).items():
        yield from each_schema(part, f"{place}.properties.{name}")
    for word in ("items", "additionalProperties"):
        yield from each_schema(schema.get(word), f"{place}.{word}")
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, []):
            yield from each_schema(part, f"{place}.{word}")


def any_of_among_others(schema, place):
    """Gemini: nothing stands beside anyOf."""
    for where, part in each_schema(schema, place):
        if "anyOf" in part and len(part) > 1:
            yield f"{where}: when using any_of, it must be the only field set"


def objects_of_nothing(schema, place):
    """Gemini: properties that are there aren't empty."""
    for where, part in each_schema(schema, place):
        if part.get("properties", True) == {}:
            yield f"{where}.properties: should be non-empty for OBJECT type"


def types_beside_any_of(schema, place):
    """Moonshot: with anyOf, the type is its items'."""
    for where, part in each_schema(schema, place):
        if "anyOf" in part and "type" in part:
            yield f"{where}: when using anyOf, type should be defined in anyOf items instead of the parent schema"


def untyped(schema, place):
    """Moonshot: each schema says its type."""
    for where, part in each_schema(schema, place):
        if not any(word in part for word in ("type", "anyOf", "oneOf", "allOf")):
            yield f"{where}: type is not defined"


def bad_answer_format(form, place):
    """Of an answer as JSON: the form that OpenAI takes, in chat completions and in Responses."""
    if not isinstance(form.get("name"), str) or not NAME.fullmatch(form["name"]):
        yield f"{place}.name: {form.get('name')!r}"
    if not isinstance(form.get("schema"), dict):
        yield f"{place}.schema: must be an object"
