#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools of a process, wired: the built-in ones, those of servers, what calls them and what
// keeps their results. One composition for the worker and for `ba-agent tool run`. Control thread
// only.

#include <functional>
#include <memory>
#include <optional>

#include "pipeline/core/artifact/artifact_keeper.hpp"
#include "pipeline/core/cache/shared_cache.hpp"
#include "pipeline/core/skill/skill_desk.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "pipeline/text/secret/redaction.hpp"
#include "worker/config/config.hpp"
#include "worker/mcp/mcp_servers.hpp"
#include "worker/runtime/parts/process_parts.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/sql/statement/sql_meaning.hpp"

namespace ba::runtime {

// The servers of tools that a configuration names, connected. Control thread only.

/// Waits for the servers as long as each may take. One that is down is not waited for: its tools
/// come when it does. `add_tool` and `on_tools_added`: as McpPorts has them. Borrows all.
std::unique_ptr<mcp::McpServers> connect_tool_servers(
    const mcp::McpConfig& config, ProcessParts& process, Log& log,
    std::function<Result<bool>(tools::MadeTool)> add_tool,
    std::function<void()> on_tools_added = [] {});

/// Ends their connections in good order; the last that a command does on its executor.
void disconnect(mcp::McpServers& servers, ProcessParts& process);

class ToolParts final {
 public:
  /// Borrows all of them.
  ToolParts(const config::Config& config, const Redaction& secrets, ProcessParts& process,
            Log& log);
  ~ToolParts();

  /// The built-in tools and what calls them. Whatever tool comes, known secrets are screened.
  Result<void> build();

  /// See connect_tool_servers().
  void connect_servers(std::function<void()> on_tools_added = [] {});

  void remember(CacheStore& store);           ///< results, as `tools.cache` says
  void keep_artifacts(ArtifactStore& store);  ///< as `tools.artifacts` says

  const tools::BuiltTools& built() const { return built_; }
  ToolRegistry& registry() { return *built_.registry; }
  ToolRuntime& runtime() { return *runtime_; }
  SubAgentDesk& sub_agents() { return sub_agents_; }
  SkillDesk& skills() { return skills_; }
  mcp::McpServers* servers() { return servers_.get(); }  ///< null: they weren't connected
  SharedCache* cache() { return cache_.get(); }          ///< null: no results are kept
  ArtifactKeeper* artifacts() { return artifacts_.get(); }

 private:
  const config::Config& config_;
  const Redaction& secrets_;
  ProcessParts& process_;
  Log& log_;
  const sql::SqlMeaning sql_meaning_;
  SubAgentDesk sub_agents_;
  SkillDesk skills_{process_.executor};
  std::unique_ptr<SharedCache> cache_;
  std::unique_ptr<ArtifactKeeper> artifacts_;
  std::unique_ptr<mcp::McpServers> servers_;
  tools::BuiltTools built_;
  std::optional<ToolRuntime> runtime_;
};

}  // namespace ba::runtime
