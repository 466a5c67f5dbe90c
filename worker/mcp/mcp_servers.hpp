#pragma once
// SPDX-License-Identifier: Apache-2.0
// All configured servers: connects them, and makes a tool of the worker of each tool that they
// list, at the start or whenever one comes up. Owned by main; control thread only.

#include <boost/asio/io_context.hpp>

#include "worker/http/http_client.hpp"
#include "worker/mcp/mcp_report.hpp"
#include "worker/mcp/mcp_tool.hpp"
#include "worker/tools/base/tool_maker.hpp"

namespace ba::mcp {

/// The real transports. All outlive what is made.
MakeTransport real_transports(boost::asio::io_context& io, Executor& executor,
                              http::HttpClient& http, Log& log);

struct McpPorts {
  Executor& executor;
  Log& log;
  MakeTransport make_transport;
  std::string version;  ///< of this program, told to servers
  /// As add_as_set() does: false: it is switched off. Conflict when the name is taken. Other errors
  /// drop the tool.
  std::function<Result<bool>(tools::MadeTool)> add_tool;
  std::function<void()> on_tools_added = [] {};
};

class McpServers {
 public:
  /// `config` outlives the object.
  McpServers(const McpConfig& config, McpPorts ports);
  ~McpServers();

  void start();

  /// Whether each server has been reached, or found to be down.
  bool settled() const;
  /// How long to wait for that at most.
  Milliseconds patience() const;

  /// Ends all connections in good order; calls fail from now on.
  void stop(std::function<void()> done);

  std::vector<McpServerReport> report() const;

 private:
  struct Entry {
    std::unique_ptr<Server> server;
    std::unique_ptr<Catalog> catalog;
    std::vector<std::string> warnings;  ///< of the last list
  };

  void take(Entry& entry, const ToolList& list);
  bool add(Entry& entry, const std::shared_ptr<KnownTool>& tool);
  McpServerReport report_of(const Entry& entry) const;

  const McpConfig& config_;
  const McpPorts ports_;
  std::vector<std::unique_ptr<Entry>> entries_;  ///< of those that are enabled
};

}  // namespace ba::mcp
