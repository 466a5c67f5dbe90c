// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_report.hpp"

namespace ba {

std::string down_text(const McpServerReport& server) {
  return "the server of tools '" + server.name + "' is " + server.state +
         (server.failure.empty() ? "" : ": " + server.failure);
}

Error server_down(const McpServerReport& server, const std::string& tool) {
  Error error;
  error.code = ErrorCode::Unavailable;
  error.message = "there is no " + tool + " now: " + down_text(server) +
                  "; `ba-agent mcp list` shows all servers";
  return error;
}

}  // namespace ba
