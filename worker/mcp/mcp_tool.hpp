#pragma once
// SPDX-License-Identifier: Apache-2.0
// A tool of a server as a tool of the worker. Owned by the registry; its server outlives it.

#include "worker/mcp/mcp_catalog.hpp"
#include "worker/mcp/mcp_server.hpp"

namespace ba::mcp {

class McpTool final : public Tool, public StatusSource {
 public:
  McpTool(Server& server, std::shared_ptr<const KnownTool> known);

  const ToolDescriptor& descriptor() const override { return descriptor_; }
  ToolDescriptor& descriptor() { return descriptor_; }  ///< before it is registered
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
  ToolDescriptor descriptor_;
};

}  // namespace ba::mcp
