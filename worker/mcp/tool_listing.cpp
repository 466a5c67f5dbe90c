// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/tool_listing.hpp"

#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"

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

constexpr std::size_t kShownBytes = 200;

Error listing_failed(const RpcError& error) {
  Error out;
  out.code = ErrorCode::Protocol;
  out.message = "it refused to list its tools: " + plain_line(error.message, kShownBytes);
  return out;
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

ToolListing::ToolListing(RpcClient& rpc, Milliseconds timeout, Done done)
    : rpc_(rpc), timeout_(timeout), done_(std::move(done)) {}

void ToolListing::ask(const std::optional<std::string>& cursor) {
  RpcRequest request;
  request.method = "tools/list";
  if (cursor) request.params["cursor"] = *cursor;
  request.total_timeout = timeout_;
  rpc_.request(std::move(request), [this](Reply reply) { answered(std::move(reply)); });
}

void ToolListing::answered(Reply reply) {
  if (const auto* lost = std::get_if<Lost>(&reply)) return done_(lost->error);
  if (const auto* error = std::get_if<RpcError>(&reply)) return done_(listing_failed(*error));
  const Json& page = std::get<Json>(reply);
  take_tools(page);
  const auto ttl = integer_member(page, "ttlMs");
  if (ttl && *ttl >= 0) list_.fresh_for = Milliseconds(*ttl);
  const auto cursor = text_member(page, "nextCursor");
  if (cursor && ++pages_ < kListPagesMax && list_.tools.size() < kListToolsMax) return ask(cursor);
  if (cursor)
    warn("its list of tools goes on after " + std::to_string(pages_) + " pages and " +
         std::to_string(list_.tools.size()) + " tools; the rest is left out");
  done_(std::move(list_));
}

void ToolListing::take_tools(const Json& page) {
  const Json* tools = member(page, "tools");
  if (tools == nullptr || !tools->is_array()) return;
  for (const Json& item : *tools) {
    if (list_.tools.size() >= kListToolsMax) return;
    auto tool = read_tool_definition(item, rpc_.over_http());
    if (!tool) {
      warn(tool.error().message);
    } else if (!names_.insert(tool->name).second) {
      warn("tool '" + plain_line(tool->name, kShownBytes) + "' is listed twice; the first counts");
    } else {
      list_.tools.push_back(std::move(*tool));
    }
  }
}

void ToolListing::warn(std::string text) {
  if (list_.warnings.size() < kListWarningsMax) list_.warnings.push_back(std::move(text));
}

}  // namespace ba::mcp
