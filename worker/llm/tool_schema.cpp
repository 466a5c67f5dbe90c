// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_schema.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/tool/json_shape.hpp"
#include "worker/llm/tool_schema_parts.hpp"
#include "worker/llm/tool_schema_references.hpp"
#include "worker/llm/tool_schema_top.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

FittedSchema faulty(std::string fault) {
  return {.schema = "", .note = "", .fault = std::move(fault)};
}

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

}  // namespace

FittedSchema fitted_schema(std::string_view text, const ToolRules& rules) {
  if (rules.as_is) return {.schema = std::string(text), .note = "", .fault = ""};
  if (!json_shape(text).within_limits())
    return faulty("its schema is deeper or wider than JSON of " + json_shape_limits());
  Json schema = Json::parse(text, nullptr, false);
  if (!schema.is_object()) return faulty("its schema is not JSON of an object");
  schema = without_references(schema);
  if (!may_be_object(schema))
    return faulty("its schema is of type " + schema["type"].dump() +
                  ", and arguments are an object");
  std::vector<std::string> notes;
  if (rules.plain_top) make_plain_top(schema, notes);
  fit_parts(schema, rules, notes);
  FittedSchema fitted;
  fitted.schema = schema.dump(-1, ' ', false, Json::error_handler_t::replace);
  fitted.note = lines_of(notes);
  const std::size_t bytes = fitted.schema.size() + fitted.note.size();
  if (bytes > kSentSchemaBytesMax)
    return faulty("its schema has " + std::to_string(bytes) +
                  " bytes when its references are filled in; at most " +
                  std::to_string(kSentSchemaBytesMax) + " are sent");
  return fitted;
}

}  // namespace ba
