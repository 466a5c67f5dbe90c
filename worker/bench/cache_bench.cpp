// SPDX-License-Identifier: Apache-2.0
// What one call of query_database takes: without the result cache, as a miss, as a hit in the store
// that all workers share, as a hit in its own process. Each turn is a tenant of its own, for whom
// the same query has not been run yet. Prints lines "KIND MICROSECONDS". Usage: ba-bench-cache
// CALLS SQL; the configuration is the worker's (BA_CONFIG).

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "pipeline/core/cache/shared_cache.hpp"
#include "storage/storage.hpp"
#include "worker/config/configured_tools.hpp"
#include "worker/config/load_config.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/parts/process_parts.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/families.hpp"
#include "worker/tools/sql/statement/sql_meaning.hpp"

namespace ba {
namespace {

constexpr int kWarmUpTurns = 20;
constexpr Milliseconds kStoreTimeout{5000};

class NoLog final : public Log {
 public:
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, Fields) override {}
};

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

struct Measured {
  ToolResult result;
  double microseconds = 0;
};

/// The tools of one worker, and its cache over the shared store.
class BenchWorker {
 public:
  explicit BenchWorker(const config::Config& config) {
    tools_ = value_of(build_tools(tool_makers(config), config.tools.settings, {executor_}));
    runtime_.emplace(*tools_.registry, config.tool_runtime, clock_, executor_, random_);
    storage_ = value_of(storage::open_storage(runtime::storage_options_of(config), executor_));
    cache_.emplace(config.tool_cache,
                   SharedCachePorts{storage_->cache(), executor_, clock_, random_, log_});
    runtime_->remember({*cache_, meaning_});
  }

  /// Until the answer; what is stored afterwards is waited for, not measured.
  Measured call(const ToolRequest& request) {
    std::optional<Measured> measured;
    const SteadyTime start = clock_.now();
    const auto run = runtime_->run(request, [&](ToolResult result) {
      const std::chrono::duration<double, std::micro> took = clock_.now() - start;
      measured = Measured{std::move(result), took.count()};
    });
    while (!measured) executor_.run_one(SteadyTime::max());
    const SteadyTime end = clock_.now() + kStoreTimeout;
    while (cache_->writing() && clock_.now() < end) executor_.run_one(end);
    return std::move(*measured);
  }

  const CacheCounters& counters() const { return cache_->counters(); }

 private:
  NoLog log_;
  runtime::SystemClock clock_;
  runtime::SystemRandom random_;
  runtime::AsioExecutor executor_;
  const sql::SqlMeaning meaning_;
  tools::BuiltTools tools_;
  std::unique_ptr<storage::PgStorage> storage_;
  std::optional<SharedCache> cache_;
  std::optional<ToolRuntime> runtime_;
};

/// The call that every turn makes four times.
class Turns {
 public:
  Turns(const config::Config& config, const std::string& sql)
      : maker_(config), other_(config), args_(nlohmann::json{{"sql", sql}}.dump()) {}

  void run(int turn, bool shown) {
    ToolRequest request;
    request.call.id = ToolCallId("bench");
    request.call.name = "query_database";
    request.call.args_json = args_;
    request.tenant = TenantId("bench-" + std::to_string(turn));
    request.caller_id = "default";
    request.cache_policy = CachePolicy::NoCache;
    tell("uncached", maker_.call(request), false, shown);
    request.cache_policy.reset();
    tell("miss", maker_.call(request), false, shown);
    tell("shared", other_.call(request), true, shown);
    tell("local", maker_.call(request), true, shown);
  }

  /// A figure of something else than it says is none.
  void expect_counts(std::int64_t turns) const {
    const CacheCounters& maker = maker_.counters();
    const CacheCounters& other = other_.counters();
    if (maker.misses != turns || maker.local_hits != turns || other.stored_hits != turns)
      throw std::runtime_error("not each call was what it should have been");
  }

 private:
  void tell(const char* kind, const Measured& call, bool hit, bool shown) {
    const ToolResult& result = call.result;
    if (result.state != ToolCallState::Succeeded || result.telemetry.cache_hit != hit)
      throw std::runtime_error(std::string(kind) + ": " + result.observation);
    if (answer_.empty()) answer_ = result.data_hash;
    if (result.data_hash != answer_) throw std::runtime_error("the answers differ");
    if (shown) std::printf("%s %.1f\n", kind, call.microseconds);
  }

  BenchWorker maker_;
  BenchWorker other_;
  const std::string args_;
  std::string answer_;
};

int bench(int calls, const std::string& sql) {
  const config::LoadedConfig loaded =
      config::load_config({std::nullopt, config::process_environment(), {}});
  if (!loaded.usable()) throw std::runtime_error(loaded.findings.errors().front());
  Turns turns(loaded.config, sql);
  for (int turn = 0; turn < kWarmUpTurns + calls; ++turn) turns.run(turn, turn >= kWarmUpTurns);
  turns.expect_counts(kWarmUpTurns + calls);
  return 0;
}

}  // namespace
}  // namespace ba

int main(int argc, char** argv) {
  const int calls = argc == 3 ? std::atoi(argv[1]) : 0;
  if (calls < 1) {
    std::fprintf(stderr, "usage: ba-bench-cache CALLS SQL\n");
    return 2;
  }
  try {
    return ba::bench(calls, argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ba-bench-cache: %s\n", error.what());
    return 1;
  }
}
