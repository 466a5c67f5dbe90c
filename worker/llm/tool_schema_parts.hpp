#pragma once
// SPDX-License-Identifier: Apache-2.0
// The steps by which a tool's schema takes a provider's form, each in a file of its own:
// tool_fits.cpp takes them in turn. Numbers may be kept as written (kept_number.hpp). Pure; any
// thread.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/llm/tool_rules.hpp"

namespace ba::llm {

// tool_schema_parts.cpp: a schema and all schemas within it.

/// Of schemas within one that are looked at.
inline constexpr std::size_t kSchemaPartsMax = 20'000;

/// The schema refers to nothing. `notes` get what it can't say itself, for the tool's description;
/// those of an inner schema go to that one's description. False: it has more parts than are looked
/// at, and is of no use.
bool fit_parts(nlohmann::ordered_json& schema, const ToolRules& rules,
               std::vector<std::string>& notes);

// tool_schema_references.cpp: a schema that refers to nothing. What `$ref` names stands in its
// place, as deep as the limits allow.

/// Also without `$schema`, `$id`, `$defs` and other keywords that only say where things are. What a
/// reference names that leads elsewhere may be anything; one that leads to itself is filled in
/// `levels` times more, and then, or too far down, may be anything of its types. Below 0: less is
/// filled in of all references, too. None: it would have more schemas than are looked at.
std::optional<nlohmann::ordered_json> without_references(const nlohmann::ordered_json& root,
                                                         int levels);

// tool_schema_top.cpp: the top of a tool's schema as one plain object. What alternatives have is
// put together.

/// Without allOf, anyOf, oneOf, not, enum and const, with type and properties. The schema may be an
/// object's and refers to nothing. `notes` get, for the model, which parameters go together.
void make_plain_top(nlohmann::ordered_json& schema, std::vector<std::string>& notes);

/// The parameters that only conditions and dependencies name, among the others.
void add_conditional_properties(nlohmann::ordered_json& schema);

/// Where the schemas of the keyword were made wider and the whole would be narrower for it, it
/// goes, or becomes one that allows more: of "not", "if", "oneOf" and "contains".
void loosen(nlohmann::ordered_json& schema, std::string_view key);

// tool_schema_types.cpp: the type of one schema.

/// Whether its own "type" names it.
bool may_be(const nlohmann::ordered_json& schema, std::string_view type);

/// Alternatives beside a type: it is that of each that says none, and stands there alone.
void move_type_in(nlohmann::ordered_json& schema);

/// "type" as the rules want it. Types that aren't JSON Schema's go.
void fit_types(nlohmann::ordered_json& schema, const ToolRules& rules);

/// One that says neither a type nor alternatives gets the type of its values, or that its keywords
/// speak of, else all.
void say_type(nlohmann::ordered_json& schema, const ToolRules& rules);

/// Where the type is one text: without keywords and formats of others, which some providers refuse.
void drop_of_other_types(nlohmann::ordered_json& schema, const ToolRules& rules);

// tool_schema_values.cpp: the values that a schema names (enum, const, bounds, defaults).

/// As JSON Schema compares: numbers by their value, however they are written.
bool same_value(const nlohmann::ordered_json& one, const nlohmann::ordered_json& other);

/// Whether a list has the value.
bool holds(const nlohmann::ordered_json& list, const nlohmann::ordered_json& value);

/// Whether it is of the type of JSON Schema; 2.0 is an integer.
bool is_of_type(const nlohmann::ordered_json& value, std::string_view type);

/// One line of JSON, cut where it is long.
std::string shown_value(const nlohmann::ordered_json& value);

/// Types of the values that are all that the schema allows, a text or a list; null: it doesn't say.
nlohmann::ordered_json types_of_values(const nlohmann::ordered_json& schema);

/// Lists of values hold each once, and what the rules allow; numbers that no double holds go with
/// their keyword, since servers can't read them. `notes` get the values that can't stand.
void fit_values(nlohmann::ordered_json& schema, const ToolRules& rules,
                std::vector<std::string>& notes);

// tool_schema_merge.cpp: two schemas as one, which allows what both allow, or what either allows;
// where one schema can't say that, it allows more.

/// Both hold. What stands in the way of one schema is left out of `more`.
nlohmann::ordered_json conjoined(nlohmann::ordered_json schema, const nlohmann::ordered_json& more);

/// No value is of both, by their types.
bool exclude_each_other(const nlohmann::ordered_json& one, const nlohmann::ordered_json& other);

/// At least one of them holds; they aren't empty.
nlohmann::ordered_json either_of(const std::vector<nlohmann::ordered_json>& schemas);

}  // namespace ba::llm
