// SPDX-License-Identifier: Apache-2.0
// Whatever a server of tools says is read or refused: as a line, a message, a tool, a result. The
// first byte is the size of the pieces that lines come in.
#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/core/tool/schema_check.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/mcp/call_result.hpp"
#include "worker/mcp/child_process.hpp"
#include "worker/mcp/mcp_tool.hpp"
#include "worker/mcp/rpc_message.hpp"
#include "worker/mcp/tool_listing.hpp"

namespace ba::fuzz {
namespace {

namespace mcp = ba::mcp;

constexpr std::size_t kLineMax = 4096;

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
  mcp::LineSplitter splitter(kLineMax);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    if (!splitter.feed(bytes.substr(at, piece),
                       [&](std::string_view line) { lines.emplace_back(line); }))
      break;
  return lines;
}

/// Each value for each parameter that there is: the check answers, whatever the schema says.
void try_arguments(const SchemaCheck& check, const mcp::Json& definition) {
  static_cast<void>(check.check("{}", 100));
  const mcp::Json& properties =
      definition.at("inputSchema").value("properties", mcp::Json::object());
  for (auto property = properties.begin(); property != properties.end(); ++property)
    for (const char* value : {"0", "-9223372036854775808", "9223372036854775807", "1.5", "\"text\"",
                              "[1,1]", "{\"a\":[]}", "null"})
      static_cast<void>(
          check.check("{" + mcp::compact(property.key()) + ":" + value + "}", 64 * 1024));
}

void read_tool(const mcp::Json& json) {
  for (const bool headers : {false, true}) {
    const auto tool = mcp::read_tool_definition(json, headers);
    if (!tool) continue;
    BA_ASSERT(tool->description.size() <= mcp::kDescriptionBytesMax + 3);
    if (const auto check = SchemaCheck::compile(tool->check_schema, tool->input_schema))
      try_arguments(*check, json);
    const std::string name = mcp::exposed_name("server", tool->name);
    BA_ASSERT(!name.empty() && name.size() <= 64);
    for (const auto& [header, value] : mcp::param_headers(tool->headers, json))
      BA_ASSERT(value.find('\n') == value.npos && value.find('\r') == value.npos);
  }
}

void read_result(const mcp::Json& json) {
  const RawToolResult result = mcp::read_call_result(json);
  BA_ASSERT(result.error.has_value() != mcp::parse_json(result.data).has_value());
  static_cast<void>(mcp::input_responses(json, mcp::Elicitation::AcceptDefaults));
}

}  // namespace

void tool_server(std::string_view input) {
  if (input.empty()) return;
  const std::string_view bytes = input.substr(1);
  const std::size_t piece = static_cast<unsigned char>(input.front()) % 16 + std::size_t{1};
  const std::vector<std::string> whole = lines_of(bytes, bytes.size() + 1);
  const std::vector<std::string> pieces = lines_of(bytes, piece);
  BA_ASSERT(std::equal(whole.begin(), whole.begin() + std::min(whole.size(), pieces.size()),
                       pieces.begin()));
  const mcp::RpcMessage message = mcp::read_rpc_message(bytes);
  if (message.kind == mcp::RpcMessage::Kind::Request)
    static_cast<void>(mcp::answer_to(message, mcp::Elicitation::AcceptDefaults));
  if (message.kind == mcp::RpcMessage::Kind::Error)
    BA_ASSERT(mcp::failure_of(message.error).error.has_value());
  if (const auto json = mcp::parse_json(bytes)) {
    read_tool(*json);
    read_result(*json);
  }
}

}  // namespace ba::fuzz
