// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/tools/server_tools.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHashShown = 64;

Json left_out_as_json(const mcp::McpToolReport& tool, const llm::LlmConfig& models) {
  Json list = Json::array();
  if (tool.exposed.empty()) return list;
  for (const LeftOutTool& left_out : left_out_of(tool.descriptor, models))
    list.push_back({{"model", left_out.model},
                    {"reason", name_of(kLeftOutReasonNames, left_out.reason)},
                    {"why", left_out.why}});
  return list;
}

Json tool_as_json(const mcp::McpToolReport& tool, const llm::LlmConfig& models) {
  return {{"name", tool.name},
          {"exposed", tool.exposed.empty() ? Json() : Json(tool.exposed)},
          {"hash", tool.hash},
          {"effect", to_string(tool.effect)},
          {"permission", to_string(tool.permission)},
          {"refused", tool.refused},
          {"left_out", left_out_as_json(tool, models)}};
}

Json server_as_json(const mcp::McpServerReport& server, const llm::LlmConfig& models) {
  Json tools = Json::array();
  for (const mcp::McpToolReport& tool : server.tools) tools.push_back(tool_as_json(tool, models));
  return {{"name", server.name},
          {"transport", server.transport},
          {"state", server.state},
          {"failure", server.failure},
          {"era", server.era},
          {"revision", server.revision},
          {"server", {{"name", server.server_name}, {"version", server.server_version}}},
          {"tools", std::move(tools)},
          {"warnings", server.warnings}};
}

void show_json(const std::vector<mcp::McpServerReport>& servers, const llm::LlmConfig& models,
               std::ostream& out) {
  Json list = Json::array();
  for (const mcp::McpServerReport& server : servers) list.push_back(server_as_json(server, models));
  out << Json{{"servers", std::move(list)}}.dump(2, ' ', false, Json::error_handler_t::replace)
      << "\n";
}

/// By model, since each provider takes other tools.
void show_left_out(const mcp::McpServerReport& server, const llm::LlmConfig& models,
                   Terminal& terminal) {
  for (const mcp::McpToolReport& tool : server.tools) {
    if (tool.exposed.empty()) continue;
    for (const LeftOutTool& left_out : left_out_of(tool.descriptor, models))
      terminal.out() << terminal.styled(Style::Yellow, "left out") << "  "
                     << printable(tool.exposed + " for model " + left_out.model + ": " +
                                  left_out.why)
                     << "\n";
  }
}

void show_server(const mcp::McpServerReport& server, Terminal& terminal) {
  const bool ready = server.state == "ready";
  const Style style = ready ? Style::Green : server.state == "down" ? Style::Red : Style::Yellow;
  std::ostream& out = terminal.out();
  out << server.name << "  " << terminal.styled(style, server.state) << "  " << server.transport;
  if (ready)
    out << "  " << server.revision << " (" << server.era << ")  "
        << printable(server.server_name + " " + server.server_version);
  if (!server.failure.empty()) out << ": " << printable(server.failure);
  out << "\n";
  if (!server.tools.empty()) {
    Table table({"tool", "effect", "permission", "hash"});
    for (const mcp::McpToolReport& tool : server.tools)
      table.add({tool.exposed.empty() ? tool.name + " (not offered)" : tool.exposed,
                 std::string(to_string(tool.effect)), std::string(to_string(tool.permission)),
                 tool.hash.substr(0, kHashShown)});
    table.write(terminal);
  }
  for (const std::string& warning : server.warnings)
    out << terminal.styled(Style::Yellow, "warning") << "  " << printable(warning) << "\n";
}

int list(const OnlyJson& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  if (!session.hooks.list_mcp_servers) {
    terminal.failure("this program was built without the part that connects to servers of tools");
    return kExitFailed;
  }
  const std::vector<mcp::McpServerReport> servers = session.hooks.list_mcp_servers(session.loaded);
  const llm::LlmConfig& models = session.config().llm;
  if (arguments.json) {
    show_json(servers, models, terminal.out());
  } else {
    if (servers.empty()) terminal.out() << "no servers of tools are configured (mcp.servers)\n";
    for (const mcp::McpServerReport& server : servers) {
      show_server(server, terminal);
      show_left_out(server, models, terminal);
    }
  }
  const bool down = std::ranges::any_of(
      servers, [](const mcp::McpServerReport& server) { return server.state == "down"; });
  return down ? kExitUnavailable : kExitOk;
}

}  // namespace

Command mcp_list_command() {
  return command<OnlyJson>(
      {.name = "mcp list",
       .summary = "Connect to each MCP server and show its tools and their hashes",
       .examples = "  ba-agent mcp list\n"
                   "  ba-agent mcp list --json | jq '.servers[].tools[] | {name, hash}'"},
      declare_json<JsonForm::Document>, list);
}

}  // namespace ba::cli
