// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/run_tool.hpp"

#include <optional>

#include "pipeline/core/cache/shared_cache.hpp"
#include "pipeline/core/skill/skill_desk.hpp"
#include "storage/storage.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/mcp/mcp_servers.hpp"
#include "worker/observe/redaction.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/secret_screen.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/runtime/system_clock.hpp"
#include "worker/tools/base/build_tools.hpp"
#include "worker/tools/families.hpp"
#include "worker/tools/sql/statement/sql_meaning.hpp"
#include "worker/version/version.hpp"

namespace ba {
namespace {

/// For a result to be kept; the answer isn't held up longer.
constexpr Milliseconds kStoreTimeout{5000};

/// A command speaks through its answer.
class NoLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, Fields) override {}
};

/// What a worker has around its tools, as far as one call needs it.
class ToolBench {
 public:
  explicit ToolBench(const LoadedConfig& loaded)
      : config_(loaded.config), secrets_(loaded.findings.secrets) {}

  ~ToolBench() {
    if (!servers_) return;
    servers_->stop([this] { executor_.finish(); });
    executor_.run();
  }

  /// Servers of tools are asked only for a tool that isn't a built-in one.
  Result<void> build(const std::string& tool) {
    auto built = build_tools(tool_makers(config_), config_.tools.settings,
                             {executor_, http_.get(), &nobody_, &no_skills_});
    if (!built) return built.error();
    tools_ = std::move(*built);
    tools_.registry->wrap(
        [this](std::unique_ptr<Tool> tool) { return screened(std::move(tool), secrets_); });
    if (tools_.registry->find(tool) == nullptr)
      if (auto found = look_at_servers(tool); !found) return found;
    runtime_.emplace(*tools_.registry, config_.tool_runtime, clock_, executor_, random_);
    const bool remembers = config_.tool_cache.enabled && !config_.postgres.access.url.empty();
    return remembers ? remember() : Result<void>();
  }

  ToolResult run(const ToolRequest& request) {
    std::optional<ToolResult> result;
    const auto run = runtime_->run(request, [&](ToolResult answer) { result = std::move(answer); });
    while (!result) executor_.run_one(SteadyTime::max());
    const SteadyTime end = clock_.now() + kStoreTimeout;
    while (cache_ && cache_->writing() && clock_.now() < end) executor_.run_one(end);
    return std::move(*result);
  }

 private:
  /// Unavailable where the tool may be one of a server that is down.
  Result<void> look_at_servers(const std::string& tool) {
    mcp::McpPorts ports{
        executor_, log_, mcp::real_transports(executor_.context(), executor_, *http_, log_),
        std::string(program_version()), [this](MadeTool added) {
          return add_as_set(std::move(added), config_.tools.settings, *tools_.registry);
        }};
    servers_ = std::make_unique<mcp::McpServers>(config_.mcp, std::move(ports));
    servers_->start();
    const SteadyTime end = clock_.now() + servers_->patience();
    while (!servers_->settled() && clock_.now() < end) executor_.run_one(end);
    if (tools_.registry->find(tool) != nullptr) return {};
    for (const McpServerReport& server : servers_->report())
      if (server.state != "ready" && tool.starts_with(server.name + "_"))
        return server_down(server, tool);
    return {};
  }

  Result<void> remember() {
    auto opened = open_storage(storage_options_of(config_), executor_);
    if (!opened) return opened.error();
    storage_ = std::move(*opened);
    cache_.emplace(config_.tool_cache,
                   SharedCachePorts{storage_->cache(), executor_, clock_, random_, log_});
    runtime_->remember({*cache_, meaning_});
    return {};
  }

  const Config& config_;
  const Redaction secrets_;
  NoLog log_;
  SystemClock clock_;
  SystemRandom random_;
  AsioExecutor executor_;
  const std::unique_ptr<HttpClient> http_ = make_curl_http_client(executor_.context());
  const SqlMeaning meaning_;
  const SubAgentDesk nobody_;
  SkillDesk no_skills_{executor_};
  std::unique_ptr<mcp::McpServers> servers_;  ///< none: it wasn't asked for a tool of theirs
  BuiltTools tools_;
  std::unique_ptr<PgStorage> storage_;
  std::optional<SharedCache> cache_;
  std::optional<ToolRuntime> runtime_;
};

}  // namespace

Result<ToolResult> run_one_tool(const LoadedConfig& loaded, const ToolRequest& request) {
  ToolBench bench(loaded);
  if (auto built = bench.build(request.call.name); !built) return built.error();
  return bench.run(request);
}

}  // namespace ba
