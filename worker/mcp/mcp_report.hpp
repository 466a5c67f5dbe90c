#pragma once
// SPDX-License-Identifier: Apache-2.0
// What there is to be told of the servers and their tools, for `ba-agent mcp list` and for the
// commands that describe a tool. Values.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba::mcp {

struct McpToolReport {
  std::string name;     ///< the server's own
  std::string exposed;  ///< what models call it; empty: it is not offered
  std::string hash;
  EffectClass effect = EffectClass::Once;
  PermissionLevel permission = PermissionLevel::Default;
  bool refused = false;
  /// As models are offered it, with all that is set for it; only in the answer to a command, and of
  /// a tool that is offered.
  ToolDescriptor descriptor;

  friend bool operator==(const McpToolReport&, const McpToolReport&) = default;
};

struct McpServerReport {
  std::string name;
  std::string transport;  ///< "stdio" or "http"
  std::string state;      ///< "ready", "down" or "disabled"
  std::string failure;    ///< why it is down
  std::string era;
  std::string revision;
  std::string server_name;
  std::string server_version;
  std::vector<McpToolReport> tools;
  std::vector<std::string> warnings;
  std::int64_t unexpected_answers = 0;
  std::int64_t garbage = 0;

  friend bool operator==(const McpServerReport&, const McpServerReport&) = default;
};

/// "the server of tools 'sales' is down: …"
inline std::string down_text(const McpServerReport& server) {
  return "the server of tools '" + server.name + "' is " + server.state +
         (server.failure.empty() ? "" : ": " + server.failure);
}

/// Unavailable: the tool may be there once the server is.
inline Error server_down(const McpServerReport& server, const std::string& tool) {
  Error error;
  error.code = ErrorCode::Unavailable;
  error.message = "there is no " + tool + " now: " + down_text(server) +
                  "; `ba-agent mcp list` shows all servers";
  return error;
}

}  // namespace ba::mcp
