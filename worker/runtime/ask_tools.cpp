// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/ask_tools.hpp"

#include <optional>
#include <set>

#include "pipeline/core/tool/registry.hpp"
#include "storage/storage.hpp"
#include "worker/runtime/parts/tool_parts.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/tools/described_tools.hpp"

namespace ba::runtime {
namespace {

/// For a result to be kept; the answer isn't held up longer.
constexpr Milliseconds kStoreTimeout{5000};

/// What a worker has around its tools, as far as one call needs it.
class ToolBench {
 public:
  explicit ToolBench(const config::LoadedConfig& loaded)
      : config_(loaded.config), secrets_(loaded.findings.secrets) {}

  ~ToolBench() {
    if (tools_.servers()) disconnect(*tools_.servers(), process_);
  }

  /// Servers of tools are asked only for a tool that isn't a built-in one.
  Result<void> build(const std::string& tool) {
    if (auto built = tools_.build(); !built) return built;
    if (tools_.registry().find(tool) == nullptr)
      if (auto found = look_at_servers(tool); !found) return found;
    const bool remembers = config_.tool_cache.enabled && !config_.postgres.access.url.empty();
    return remembers ? remember() : Result<void>();
  }

  ToolResult run(const ToolRequest& request) {
    std::optional<ToolResult> result;
    const auto run =
        tools_.runtime().run(request, [&](ToolResult answer) { result = std::move(answer); });
    while (!result) process_.executor.run_one(SteadyTime::max());
    const SteadyTime end = process_.clock.now() + kStoreTimeout;
    const SharedCache* cache = tools_.cache();
    while (cache && cache->writing() && process_.clock.now() < end) process_.executor.run_one(end);
    return std::move(*result);
  }

 private:
  /// Unavailable where the tool may be one of a server that is down.
  Result<void> look_at_servers(const std::string& tool) {
    tools_.connect_servers();
    if (tools_.registry().find(tool) != nullptr) return {};
    for (const mcp::McpServerReport& server : tools_.servers()->report())
      if (server.state != "ready" && tool.starts_with(server.name + "_"))
        return mcp::server_down(server, tool);
    return {};
  }

  Result<void> remember() {
    auto opened = storage::open_storage(storage_options_of(config_), process_.executor);
    if (!opened) return opened.error();
    storage_ = std::move(*opened);
    tools_.remember(storage_->cache());
    return {};
  }

  const config::Config& config_;
  const Redaction secrets_;
  NoLog log_;
  ProcessParts process_;
  std::unique_ptr<storage::PgStorage> storage_;
  ToolParts tools_{config_, secrets_, process_, log_};
};

/// Names that a worker's built-in tools have: a server's tool of such a name gets another.
std::set<std::string> built_in_names(const config::Config& config) {
  const tools::DescribedTools described = tools::describe_built_in_tools(config);
  const tools::BuiltTools& built = described.built;
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

void add_descriptors(std::vector<mcp::McpServerReport>& servers, const ToolRegistry& registry) {
  for (mcp::McpServerReport& server : servers)
    for (mcp::McpToolReport& tool : server.tools)
      if (const auto* entry = registry.find(tool.exposed))
        tool.descriptor = entry->tool->descriptor();
}

}  // namespace

Result<ToolResult> run_one_tool(const config::LoadedConfig& loaded, const ToolRequest& request) {
  ToolBench bench(loaded);
  if (auto built = bench.build(request.call.name); !built) return built.error();
  return bench.run(request);
}

std::vector<mcp::McpServerReport> list_mcp_servers(const config::LoadedConfig& loaded) {
  ProcessParts process;
  NoLog log;
  const std::set<std::string> built_in = built_in_names(loaded.config);
  ToolRegistry registry;
  const auto servers = connect_tool_servers(
      loaded.config.mcp, process, log, [&](tools::MadeTool tool) -> Result<bool> {
        const std::string& name = tool.descriptor->name;
        if (built_in.contains(name)) return taken(name);
        return tools::add_as_set(std::move(tool), loaded.config.tools.settings, registry);
      });
  std::vector<mcp::McpServerReport> report = servers->report();
  add_descriptors(report, registry);
  disconnect(*servers, process);
  return report;
}

}  // namespace ba::runtime
