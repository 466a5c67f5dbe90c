// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/data_sources.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameInError = 64;

bool may_name(const ToolDescriptor& tool, const AllowedSources& allowed,
              const std::string& source) {
  return !allowed || allowed->contains(tool.source_parameter + ":" + source);
}

std::vector<std::string> open_sources(const ToolDescriptor& tool, const AllowedSources& allowed) {
  std::vector<std::string> names;
  for (const SourceText& source : tool.sources)
    if (may_name(tool, allowed, source.name)) names.push_back(source.name);
  return names;
}

ToolError not_allowed(const ToolDescriptor& tool, const Json& value,
                      const std::vector<std::string>& open) {
  const std::string name = value.is_string()
                               ? "'" + cut_code_points(value.get<std::string>(), kNameInError) + "'"
                               : cut_code_points(dump_exact(value), kNameInError);
  return {.type = ToolErrorType::PermissionDenied,
          .code = "DATA_SOURCE_NOT_ALLOWED",
          .message = "The " + tool.source_parameter + " " + name +
                     " may not be used here. Allowed: " + joined_or_none(open)};
}

ToolError missing(const ToolDescriptor& tool, const std::vector<std::string>& open) {
  if (open.empty())
    return {.type = ToolErrorType::PermissionDenied,
            .code = "DATA_SOURCE_NOT_ALLOWED",
            .message = "No " + tool.source_parameter + " of this tool may be used here."};
  return {.type = ToolErrorType::InvalidParameters,
          .code = "INVALID_PARAMETERS",
          .message = tool.source_parameter +
                     ": this required parameter is missing; allowed: " + joined(open)};
}

/// As text, so that every number stays as it was written.
std::string with_member(const std::string& object, bool empty, const std::string& name,
                        const std::string& value) {
  std::string text = object;
  const std::string member = Json(name).dump() + ":" + Json(value).dump() + (empty ? "" : ",");
  return text.insert(text.find('{') + 1, member);
}

/// Behind a null of the same name: the last of one name counts.
std::string with_last_member(const std::string& object, const std::string& name,
                             const std::string& value) {
  std::string text = object;
  return text.insert(text.rfind('}'), "," + Json(name).dump() + ":" + Json(value).dump());
}

}  // namespace

std::string description_for(const ToolDescriptor& tool, const AllowedSources& allowed) {
  std::string text = tool.description;
  for (const SourceText& source : tool.sources)
    if (may_name(tool, allowed, source.name)) text += "\n\n" + source.text;
  return text;
}

std::optional<ToolSpec> with_sources(ToolSpec spec, const ToolDescriptor& tool,
                                     const AllowedSources& allowed) {
  if (!allowed || tool.sources.empty()) return spec;
  const std::vector<std::string> open = open_sources(tool, allowed);
  if (open.empty()) return std::nullopt;
  if (open.size() == tool.sources.size()) return spec;
  spec.description = description_for(tool, allowed);
  Json schema = parse_exact_known<Json>(spec.parameters_schema);
  Json& parameter = schema["properties"][tool.source_parameter];
  parameter["enum"] = open;
  parameter.erase("default");
  if (open.size() == 1) {
    parameter["default"] = open.front();
    if (const auto required = schema.find("required"); required != schema.end())
      std::erase(required->get_ref<Json::array_t&>(), Json(tool.source_parameter));
  }
  spec.parameters_schema = dump_exact(schema);
  return spec;
}

SourcedArguments choose_source(const ToolDescriptor& tool, const AllowedSources& allowed,
                               const std::string& args_json) {
  SourcedArguments sourced{args_json, nullptr, std::nullopt};
  if (!allowed || tool.source_parameter.empty() || !json_shape(args_json).within_limits())
    return sourced;
  auto read = std::make_shared<Json>(parse_exact<Json>(args_json));
  const Json& args = *read;
  if (!args.is_object()) return sourced;
  const std::vector<std::string> open = open_sources(tool, allowed);
  const auto named = args.find(tool.source_parameter);
  if (named == args.end() && open.size() == 1)
    sourced.args_json = with_member(args_json, args.empty(), tool.source_parameter, open.front());
  else if (named != args.end() && named->is_null() && open.size() == 1)
    sourced.args_json = with_last_member(args_json, tool.source_parameter, open.front());
  else if (named == args.end())
    sourced.refused = missing(tool, open);
  else if (!named->is_string() || std::ranges::find(open, named->get<std::string>()) == open.end())
    sourced.refused = not_allowed(tool, *named, open);
  else
    sourced.read = std::move(read);
  return sourced;
}

}  // namespace ba
