// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tool of a server as a tool of the worker, and its name. Owned by the registry; its server
// outlives it.

#include <string>
#include <string_view>

#include "worker/mcp/mcp_catalog.hpp"
#include "worker/mcp/mcp_server.hpp"
#include "worker/tools/base/tool_maker.hpp"

namespace ba::mcp {

/// "<server>_<tool>" where that is 1 to 64 letters, digits, underscores and hyphens; else what can
/// be kept of it and eight digits of a hash of both names, so that it is the same at every start.
std::string exposed_name(std::string_view server, std::string_view tool);

/// The form with the hash: for a name that is taken by another tool.
std::string hashed_name(std::string_view server, std::string_view tool);

class McpTool final : public tools::DescribedTool, public StatusSource {
 public:
  McpTool(Server& server, std::shared_ptr<const KnownTool> known);

  std::optional<ToolError> refusal(const std::string& parameters) const override;

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

  StatusSource* status_source() override;
  std::unique_ptr<ToolRun> status(ToolInvocation invocation,
                                  std::function<void(EffectStatus)> done) override;

 private:
  const McpToolSettings& settings() const;
  std::optional<ToolError> unaskable(const ToolInvocation& invocation, bool has_arguments) const;

  Server& server_;
  std::shared_ptr<const KnownTool> known_;  ///< shared with the catalog, which keeps it current
};

}  // namespace ba::mcp
