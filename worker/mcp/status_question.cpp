// SPDX-License-Identifier: Apache-2.0
// The question to a status tool and its answer, by a McpStatusRule: of mcp_catalog.hpp.

#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/mcp/mcp_catalog.hpp"

namespace ba::mcp {
namespace {

constexpr std::size_t kShownBytes = 200;

using Verdict = EffectStatus::Verdict;

std::string shown(std::string_view text) { return "'" + plain_line(text, kShownBytes) + "'"; }

bool read_only(const ToolDefinition& tool, const McpServerConfig& server) {
  const auto set = server.tools.find(tool.name);
  if (set != server.tools.end() && set->second.effect)
    return *set->second.effect == EffectClass::Pure;
  return server.trusted && tool.annotations.read_only;
}

/// Null where a schema says nothing of its parameters.
const Json* properties_of(const Json& schema) {
  const Json* properties = member(schema, "properties");
  return properties != nullptr && properties->is_object() ? properties : nullptr;
}

bool takes(const Json& schema, const std::string& name) {
  const Json* properties = properties_of(schema);
  if (properties != nullptr && properties->contains(name)) return true;
  return flag_member(schema, "additionalProperties", true) &&
         (properties == nullptr || properties->empty());
}

bool takes_text(const Json& schema, const std::string& name) {
  const Json* properties = properties_of(schema);
  if (properties == nullptr || !properties->contains(name)) return true;
  const Json* type = member(properties->at(name), "type");
  return type == nullptr || *type == "string" ||
         (type->is_array() && std::ranges::find(*type, Json("string")) != type->end());
}

std::optional<std::string> call_defect(const Json& schema, const McpToolSettings& settings) {
  for (const auto& [name, text] : settings.status.arguments)
    if (const std::string from(argument_named(text)); !from.empty() && !takes(schema, from))
      return "status_arguments." + name + ": it has no parameter " + shown(from);
  return std::nullopt;
}

std::optional<std::string> question_defect(const Json& schema, const McpStatusRule& rule) {
  for (const auto& [name, text] : rule.arguments) {
    if (!takes(schema, name))
      return "status_arguments: " + shown(name) + " is no parameter of " + shown(rule.tool);
    if (argument_named(text).empty() && !takes_text(schema, name))
      return "status_arguments: " + shown(name) + " of " + shown(rule.tool) + " takes no text";
  }
  const Json* required = member(schema, "required");
  if (required == nullptr || !required->is_array()) return std::nullopt;
  for (const Json& name : *required)
    if (name.is_string() && !rule.arguments.contains(name.get<std::string>()))
      return "status_arguments: " + shown(rule.tool) + " needs " +
             shown(name.get_ref<const std::string&>());
  return std::nullopt;
}

/// A path that leads nowhere: null.
const Json* at(const Json& answer, const std::string& path) {
  try {
    return &answer.at(Json::json_pointer(path));
  } catch (const Json::exception&) {
    return nullptr;
  }
}

/// As people write it: a text as it is, true, 3.
std::optional<std::string> word_at(const Json& answer, const std::string& path) {
  const Json* word = path.empty() ? &answer : at(answer, path);
  if (word == nullptr || word->is_structured()) return std::nullopt;
  return word->is_string() ? word->get<std::string>() : compact(*word);
}

bool among(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

EffectStatus cannot_tell(ToolErrorType type, const char* code, std::string message) {
  EffectStatus status;
  status.result.error = ToolError{type, code, std::move(message)};
  return status;
}

/// The answer as JSON, also where a server sends JSON as a text; beside other texts alone.
Json data_of(const RawToolResult& answer) {
  Json data = parse_json(answer.data).value_or(Json());
  if (data.is_object() && data.size() == 2 && data.contains("content") &&
      data.contains("structured_content"))
    return Json(data["structured_content"]);
  if (data.is_string())
    if (auto inner = parse_json(data.get_ref<const std::string&>()); inner && !inner->is_number())
      return std::move(*inner);
  return data;
}

RawToolResult result_of(const McpStatusRule& rule, const Json& answer) {
  RawToolResult result;
  const Json* own = rule.result_path.empty() ? nullptr : at(answer, rule.result_path);
  result.data = compact(own != nullptr ? *own : answer);
  if (own == nullptr)
    result.note = "The call took effect; its own answer was lost, and this is what " +
                  plain_line(rule.tool, kShownBytes) + " says of it.";
  result.not_cacheable = true;
  return result;
}

}  // namespace

std::optional<std::string> key_defect(const ToolDefinition& tool, const std::string& key_argument) {
  if (key_argument.empty()) return std::nullopt;
  const Json schema = parse_json(tool.check_schema).value_or(Json::object());
  if (!takes(schema, key_argument))
    return "key_argument " + shown(key_argument) + " is no parameter of it";
  if (!takes_text(schema, key_argument))
    return "key_argument " + shown(key_argument) + " takes no text";
  return std::nullopt;
}

std::optional<std::string> status_defect(const ToolDefinition& tool, const ToolDefinition& asked,
                                         const McpServerConfig& server) {
  const McpToolSettings& settings = server.tools.at(tool.name);
  if (!read_only(asked, server))
    return "status_tool " + shown(asked.name) +
           " is not read-only: a trusted server says so of it, or tools." +
           plain_line(asked.name, kShownBytes) + ".effect: pure does";
  if (auto defect = key_defect(tool, settings.key_argument)) return defect;
  const auto own = parse_json(tool.check_schema);
  const auto question = parse_json(asked.check_schema);
  if (auto defect = call_defect(own.value_or(Json::object()), settings)) return defect;
  return question_defect(question.value_or(Json::object()), settings.status);
}

Json with_key(Json arguments, const std::string& key_argument, const std::string& key) {
  if (!key_argument.empty() && !key.empty()) arguments[key_argument] = key;
  return arguments;
}

std::optional<Json> status_arguments(const McpStatusRule& rule, const Json& call,
                                     const std::string& key) {
  Json arguments = Json::object();
  for (const auto& [name, text] : rule.arguments) {
    const std::string from(argument_named(text));
    if (text == kKeyPlace)
      arguments[name] = key;
    else if (from.empty())
      arguments[name] = text;
    else if (const Json* value = member(call, from))
      arguments[name] = *value;
    else
      return std::nullopt;
  }
  return arguments;
}

std::string question_version(const std::string& key_argument, const McpStatusRule& rule) {
  std::vector<std::string> asked{key_argument, rule.tool};
  for (const auto& [name, text] : rule.arguments) {
    asked.push_back(name);
    asked.push_back(text);
  }
  return "." + configured_version("", asked).substr(1);
}

EffectStatus read_status(const McpStatusRule& rule, const RawToolResult& answer) {
  EffectStatus status;
  if (answer.error) {
    status.result = answer;
    return status;
  }
  const Json data = data_of(answer);
  const auto word = word_at(data, rule.path);
  if (!word)
    return cannot_tell(ToolErrorType::DependencyError, "MCP_STATUS_MALFORMED",
                       shown(rule.tool) + " answered without a word at " +
                           (rule.path.empty() ? "its top" : rule.path));
  if (among(rule.did_not_happen, *word)) {
    status.verdict = Verdict::DidNotHappen;
  } else if (among(rule.happened, *word)) {
    status.verdict = Verdict::Happened;
    status.result = result_of(rule, data);
  } else {
    return cannot_tell(ToolErrorType::TransientError, "MCP_STATUS_UNKNOWN",
                       shown(rule.tool) + " says " + shown(*word) + " of the call");
  }
  return status;
}

std::string without_parameter(const std::string& schema, const std::string& name) {
  auto json = parse_json(schema);
  if (name.empty() || !json || !json->is_object()) return schema;
  if (const auto properties = json->find("properties");
      properties != json->end() && properties->is_object())
    properties->erase(name);
  if (const auto required = json->find("required");
      required != json->end() && required->is_array()) {
    Json left = Json::array();
    for (const Json& one : *required)
      if (one != name) left.push_back(one);
    *required = std::move(left);
  }
  return compact(*json);
}

}  // namespace ba::mcp
