#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools that a process has of the server of tools, through the product's own client: they come
// when it has connected. The registry of all histories holds a stand-in of each, which hands a call
// to that of the process whose task runs.

#include "tests/simulation/tool_server.hpp"
#include "worker/mcp/mcp_servers.hpp"

namespace ba::sim {

/// Of a call, whatever its progress.
inline constexpr Milliseconds kServedTimeout{500};

/// Of one process, which it doesn't outlive.
class ServedTools {
 public:
  ServedTools(ToolServer& server, const ToolStage& stage, Process& process, Log& log);

  void start() { servers_.start(); }
  void stop(std::function<void()> done) { servers_.stop(std::move(done)); }
  /// Null: the server hasn't listed it yet.
  Tool* find(const std::string& name);

 private:
  Result<std::unique_ptr<mcp::Transport>> connect();

  ToolServer& server_;
  const ToolStage& stage_;
  Process& process_;
  int connections_ = 0;
  std::set<std::string> missed_;  ///< was wanted before it was there
  std::map<std::string, std::unique_ptr<Tool>> tools_;
  mcp::McpServers servers_;
};

/// `effect`: as long as the server says nothing of it.
std::unique_ptr<Tool> stand_in(ToolStage* const& stage, const std::string& name,
                               EffectClass effect);

}  // namespace ba::sim
