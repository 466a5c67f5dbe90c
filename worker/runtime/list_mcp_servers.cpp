// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/list_mcp_servers.hpp"

#include "pipeline/tool/registry.hpp"
#include "worker/llm/curl_http_client.hpp"
#include "worker/mcp/mcp_servers.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/system_clock.hpp"
#include "worker/tools/tool_settings.hpp"
#include "worker/version/version.hpp"

namespace ba {
namespace {

/// What matters stands in the report.
class NoLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, Fields) override {}
};

}  // namespace

std::vector<McpServerReport> list_mcp_servers(const LoadedConfig& loaded) {
  AsioExecutor executor;
  const SystemClock clock;
  NoLog log;
  const auto http = make_curl_http_client(executor.context());
  ToolRegistry registry;
  mcp::McpPorts ports{
      executor,
      log,
      mcp::real_transports(executor.context(), executor, *http, log),
      std::string(program_version()),
      [&registry](std::unique_ptr<Tool> tool) { return registry.add(std::move(tool)); },
      [] {},
      as_set_in(loaded.config.tools)};
  mcp::McpServers servers(loaded.config.mcp, std::move(ports));
  servers.start();
  const SteadyTime end = clock.now() + servers.patience();
  while (!servers.settled() && clock.now() < end) executor.run_one(end);
  std::vector<McpServerReport> report = servers.report();
  servers.stop([&executor] { executor.finish(); });
  executor.run();
  return report;
}

}  // namespace ba
