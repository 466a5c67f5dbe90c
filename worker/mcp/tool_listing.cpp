// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/tool_listing.hpp"

#include <utility>

namespace ba::mcp {
namespace {

constexpr std::size_t kShownBytes = 200;

Error listing_failed(const RpcError& error) {
  Error out;
  out.code = ErrorCode::Protocol;
  out.message = "it refused to list its tools: " + plain_line(error.message, kShownBytes);
  return out;
}

}  // namespace

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
