// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_schema.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "worker/llm/tool_schema_parts.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

FittedSchema faulty(std::string fault) {
  return {.schema = "", .note = "", .fault = std::move(fault)};
}

constexpr std::string_view kTooLarge = "too large: ";

FittedSchema too_large(const std::string& fault) { return faulty(std::string(kTooLarge) + fault); }

/// Of the top: what an object's schema may say of its type.
bool may_be_object(const Json& schema) {
  const auto type = schema.find("type");
  if (type == schema.end() || *type == "object") return true;
  if (!type->is_array()) return false;
  for (const Json& one : *type)
    if (one == "object") return true;
  return false;
}

std::string lines_of(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += (text.empty() ? "" : "\n") + note;
  return text;
}

/// With references that lead to themselves filled in `levels` times.
FittedSchema fitted_to(const Json& whole, int levels, const ToolRules& rules) {
  const std::string parts = std::to_string(kSchemaPartsMax);
  std::optional<Json> filled = without_references(whole, levels);
  if (!filled) return too_large("its schema has more than " + parts + " parts");
  Json& schema = *filled;
  if (!may_be_object(schema))
    return faulty("its schema is of type " + shown_value(schema["type"]) +
                  ", and arguments are an object");
  std::vector<std::string> notes;
  if (rules.plain_top) make_plain_top(schema, notes);
  if (!fit_parts(schema, rules, notes))
    return too_large("its schema has more than " + parts + " parts in the form for " +
                     std::string(rules.who));
  FittedSchema fitted;
  // Without parameters there is no schema that it takes.
  if (!rules.known_required || schema.contains("properties")) fitted.schema = dump_exact(schema);
  fitted.note = lines_of(notes);
  const std::size_t bytes = fitted.schema.size() + fitted.note.size();
  if (bytes > kSentSchemaBytesMax)
    return too_large("its schema has " + std::to_string(bytes) +
                     " bytes when its references are filled in; at most " +
                     std::to_string(kSentSchemaBytesMax) + " are sent");
  return fitted;
}

}  // namespace

FittedSchema fitted_schema(std::string_view text, const ToolRules& rules) {
  if (rules.as_is) return {.schema = std::string(text), .note = "", .fault = ""};
  if (text.size() > kReadSchemaBytesMax)
    return too_large("its schema has " + std::to_string(text.size()) + " bytes; at most " +
                     std::to_string(kReadSchemaBytesMax) + " are read");
  if (!json_shape(text).within_limits())
    return faulty("its schema is deeper or wider than JSON of " + json_shape_limits());
  const Json schema = parse_exact<Json>(text);
  if (!schema.is_object()) return faulty("its schema is not JSON of an object");
  constexpr int kLevels = 3;
  FittedSchema fitted;
  for (int levels = kLevels; levels >= -1; --levels) {
    fitted = fitted_to(schema, levels, rules);
    if (!fitted.fault.starts_with(kTooLarge)) break;
  }
  return fitted;
}

}  // namespace ba
