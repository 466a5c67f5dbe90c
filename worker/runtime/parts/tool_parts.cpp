// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/parts/tool_parts.hpp"

#include <utility>

#include "worker/config/configured_tools.hpp"
#include "worker/runtime/secret_screen.hpp"
#include "worker/tools/families.hpp"
#include "worker/version/version.hpp"

namespace ba::runtime {

std::unique_ptr<mcp::McpServers> connect_tool_servers(
    const mcp::McpConfig& config, ProcessParts& process, Log& log,
    std::function<Result<bool>(tools::MadeTool)> add_tool, std::function<void()> on_tools_added) {
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

ToolParts::ToolParts(const config::Config& config, const Redaction& secrets, ProcessParts& process,
                     Log& log)
    : config_(config), secrets_(secrets), process_(process), log_(log) {}

ToolParts::~ToolParts() = default;

Result<void> ToolParts::build() {
  auto built = tools::build_tools(tool_makers(config_), config_.tools.settings,
                                  {process_.executor, process_.http.get(), &sub_agents_, &skills_});
  if (!built) return built.error();
  built_ = std::move(*built);
  built_.registry->wrap(
      [this](std::unique_ptr<Tool> tool) { return screened(std::move(tool), secrets_); });
  runtime_.emplace(*built_.registry, config_.tool_runtime, process_.clock, process_.executor,
                   process_.random);
  return {};
}

void ToolParts::connect_servers(std::function<void()> on_tools_added) {
  servers_ = connect_tool_servers(
      config_.mcp, process_, log_,
      [this](tools::MadeTool tool) {
        return tools::add_as_set(std::move(tool), config_.tools.settings, *built_.registry);
      },
      std::move(on_tools_added));
}

void ToolParts::remember(CacheStore& store) {
  cache_ = std::make_unique<SharedCache>(
      config_.tool_cache,
      SharedCachePorts{store, process_.executor, process_.clock, process_.random, log_});
  runtime_->remember({*cache_, sql_meaning_});
}

void ToolParts::keep_artifacts(ArtifactStore& store) {
  artifacts_ = std::make_unique<ArtifactKeeper>(config_.artifacts, store, process_.executor, log_);
  runtime_->keep_artifacts(
      {*artifacts_, config_.artifacts.artifact_bytes_max, config_.artifacts.read_bytes_max});
}

}  // namespace ba::runtime
