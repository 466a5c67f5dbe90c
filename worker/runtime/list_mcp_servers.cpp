// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/list_mcp_servers.hpp"

#include <set>

#include "pipeline/core/tool/registry.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/mcp/mcp_servers.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/system_clock.hpp"
#include "worker/tools/described_tools.hpp"
#include "worker/version/version.hpp"

namespace ba {
namespace {

/// What matters stands in the report.
class NoLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, Fields) override {}
};

/// Names that a worker's built-in tools have: a server's tool of such a name gets another.
std::set<std::string> built_in_names(const Config& config) {
  const DescribedTools described = describe_built_in_tools(config);
  const BuiltTools& built = described.built;
  std::set<std::string> names;
  for (const std::string& name : built.registry->names(std::nullopt))
    if (!built.unconfigured.contains(name)) names.insert(name);
  return names;
}

Error taken(const std::string& name) {
  Error error = invalid_argument("tool '" + name + "': there is a built-in one of this name");
  error.code = ErrorCode::Conflict;
  return error;
}

void add_descriptors(std::vector<McpServerReport>& servers, const ToolRegistry& registry) {
  for (McpServerReport& server : servers)
    for (McpToolReport& tool : server.tools)
      if (const auto* entry = registry.find(tool.exposed))
        tool.descriptor = entry->tool->descriptor();
}

}  // namespace

std::vector<McpServerReport> list_mcp_servers(const LoadedConfig& loaded) {
  AsioExecutor executor;
  const SystemClock clock;
  NoLog log;
  const auto http = make_curl_http_client(executor.context());
  const std::set<std::string> built_in = built_in_names(loaded.config);
  ToolRegistry registry;
  mcp::McpPorts ports{executor, log, mcp::real_transports(executor.context(), executor, *http, log),
                      std::string(program_version()), [&](MadeTool tool) -> Result<bool> {
                        const std::string& name = tool.descriptor->name;
                        if (built_in.contains(name)) return taken(name);
                        return add_as_set(std::move(tool), loaded.config.tools.settings, registry);
                      }};
  mcp::McpServers servers(loaded.config.mcp, std::move(ports));
  servers.start();
  const SteadyTime end = clock.now() + servers.patience();
  while (!servers.settled() && clock.now() < end) executor.run_one(end);
  std::vector<McpServerReport> report = servers.report();
  add_descriptors(report, registry);
  servers.stop([&executor] { executor.finish(); });
  executor.run();
  return report;
}

}  // namespace ba
