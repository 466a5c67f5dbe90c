// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/parts/tool_servers.hpp"

#include <utility>

#include "worker/version/version.hpp"

namespace ba {

std::unique_ptr<mcp::McpServers> connect_tool_servers(
    const McpConfig& config, ProcessParts& process, Log& log,
    std::function<Result<bool>(MadeTool)> add_tool, std::function<void()> on_tools_added) {
  AsioExecutor& executor = process.executor;
  mcp::McpPorts ports{executor,
                      log,
                      mcp::real_transports(executor.context(), executor, *process.http, log),
                      std::string(program_version()),
                      std::move(add_tool),
                      std::move(on_tools_added)};
  auto servers = std::make_unique<mcp::McpServers>(config, std::move(ports));
  servers->start();
  const SteadyTime end = process.clock.now() + servers->patience();
  while (!servers->settled() && process.clock.now() < end) executor.run_one(end);
  return servers;
}

void disconnect(mcp::McpServers& servers, ProcessParts& process) {
  servers.stop([&process] { process.executor.finish(); });
  process.executor.run();
}

}  // namespace ba
