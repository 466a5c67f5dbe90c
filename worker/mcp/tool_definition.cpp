// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/tool_definition.hpp"

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/mcp/schema_translation.hpp"

namespace ba::mcp {
namespace {

constexpr std::size_t kShownNameBytes = 80;

Error unusable(const std::string& name, const std::string& why) {
  return invalid_argument("tool '" + plain_line(name, kShownNameBytes) + "': " + why);
}

/// The same text however the server orders its keys.
std::string hash_of(const Json& json) {
  nlohmann::json part = nlohmann::json::object();
  for (const char* key : {"name", "description", "inputSchema", "annotations"})
    if (const Json* value = member(json, key)) part[key] = *value;
  return sha256_hex_of(dump_exact(part));
}

ToolAnnotations read_annotations(const Json& json) {
  ToolAnnotations out;
  const Json* given = member(json, "annotations");
  if (given == nullptr) return out;
  out.read_only = flag_member(*given, "readOnlyHint", out.read_only);
  out.destructive = flag_member(*given, "destructiveHint", out.destructive);
  out.idempotent = flag_member(*given, "idempotentHint", out.idempotent);
  out.open_world = flag_member(*given, "openWorldHint", out.open_world);
  return out;
}

bool needs_task(const Json& json) {
  const Json* execution = member(json, "execution");
  return execution != nullptr && text_member(*execution, "taskSupport") == "required";
}

}  // namespace

Result<ToolDefinition> read_tool_definition(const Json& json, bool mirrors_headers) {
  ToolDefinition tool;
  tool.name = text_member(json, "name").value_or("");
  if (tool.name.empty() || tool.name.size() > kToolNameBytesMax)
    return unusable(tool.name, "a name has 1 to " + std::to_string(kToolNameBytesMax) + " bytes");
  if (needs_task(json))
    return unusable(tool.name, "it runs as a task only, which is not supported");
  const Json* given = member(json, "inputSchema");
  if (given == nullptr) return unusable(tool.name, "it has no input schema");
  const Json schema = with_object_type(*given);
  tool.input_schema = compact(schema);
  if (tool.input_schema.size() > kSchemaBytesMax)
    return unusable(tool.name,
                    "its input schema has more than " + std::to_string(kSchemaBytesMax) + " bytes");
  auto check = draft7_schema(schema);
  if (!check) return unusable(tool.name, check.error().message);
  tool.check_schema = std::move(*check);
  auto headers = read_param_headers(schema);
  if (!headers && mirrors_headers) return unusable(tool.name, headers.error().message);
  if (headers) tool.headers = std::move(*headers);
  tool.description =
      plain_text(text_member(json, "description").value_or(""), kDescriptionBytesMax);
  tool.annotations = read_annotations(json);
  tool.hash = hash_of(json);
  return tool;
}

/// Idempotent counts as repeatable: the same arguments once more change nothing more, which is all
/// that Pure promises to who runs a call again.
EffectClass effect_of(const ToolAnnotations& annotations, bool trusted) {
  const bool repeatable = annotations.read_only || annotations.idempotent;
  return trusted && repeatable ? EffectClass::Pure : EffectClass::Once;
}

}  // namespace ba::mcp
