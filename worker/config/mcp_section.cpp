// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

#include "pipeline/core/tool/tool_names.hpp"

namespace ba::config {
namespace {

using settings::SectionReader;

/// Nobody can say of a server's tool that it is keyed.
constexpr EnumNames<EffectClass, 3> kEffectNames{{{EffectClass::Pure, "pure"},
                                                  {EffectClass::Once, "once"},
                                                  {EffectClass::Reconcilable, "reconcilable"}}};

void read_status(SectionReader& in, mcp::McpStatusRule& status) {
  in.read("status_tool", status.tool);
  in.read("status_arguments", status.arguments);
  in.read("status_path", status.path);
  in.read("status_happened", status.happened);
  in.read("status_did_not_happen", status.did_not_happen);
  in.read("status_result_path", status.result_path);
}

void read_tool(SectionReader& in, mcp::McpToolSettings& tool) {
  in.read("enabled", tool.enabled);
  in.read("effect", tool.effect, kEffectNames);
  in.read("key_argument", tool.key_argument);
  read_status(in, tool.status);
  in.read("permission", settings::ChoiceOr{tool.permission, "server"}, kPermissionNames);
  in.read("cache_policy", tool.cache_policy, kCachePolicyNames);
}

void read_server(SectionReader& in, mcp::McpServerConfig& server) {
  in.read("enabled", server.enabled);
  in.read("command", server.command);
  std::vector<std::string> arguments;
  in.read("args", arguments);
  for (std::string& argument : arguments) server.command.push_back(std::move(argument));
  in.read("env", server.env);
  in.read("env_files", settings::SecretFiles{server.env});
  in.read("url", server.url);
  in.read("headers", server.headers);
  in.read("header_files", settings::SecretFiles{server.headers});
  in.read("ca_file", server.ca_file);
  in.read("trusted", server.trusted);
  in.read("permission", server.permission, kPermissionNames);
  in.read("timeout_ms", server.timeout, {1, 3'600'000});
  in.read("timeout_max_ms", server.timeout_max, {1, 24LL * 3'600'000});
  in.read("connect_timeout_ms", server.connect_timeout, {1, 300'000});
  in.read("message_bytes_max", server.message_bytes_max, {1024, 64LL << 20});
  in.read("concurrency_max", server.concurrency_max, {1, 1024});
  in.entries("tools", [&](const std::string& name, SectionReader& inner) {
    read_tool(inner, server.tools[name]);
  });
  in.read("pins", server.pins);
}

}  // namespace

void read_mcp(SectionReader& in, mcp::McpConfig& mcp) {
  in.entries("servers", [&](const std::string& name, SectionReader& inner) {
    mcp::McpServerConfig& server = mcp.servers.emplace_back();
    server.name = name;
    read_server(inner, server);
  });
}

void read_mcp_servers(SectionReader& root, mcp::McpConfig& mcp) {
  root.entries("mcpServers", [&](const std::string& name, SectionReader& inner) {
    for (const mcp::McpServerConfig& other : mcp.servers)
      if (other.name == name)
        inner.error("", SectionReader::Kind::Conflict,
                    "there is a server of this name under mcp.servers: keep one");
    mcp::McpServerConfig& server = mcp.servers.emplace_back();
    server.name = name;
    server.section = "mcpServers";
    std::string type;  // other clients want it; here it is known by command or url
    if (inner.wants("type")) inner.read("type", type);
    read_server(inner, server);
  });
}

}  // namespace ba::config
