// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/query_database.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/tools/base/blocking_runs.hpp"
#include "worker/tools/sql/data_source_check.hpp"
#include "worker/tools/sql/read_only_session.hpp"
#include "worker/tools/sql/sql_calls.hpp"
#include "worker/tools/sql/statement/sql_guard.hpp"

namespace ba::sql {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTablesInError = 1000;

/// Of any source's rows; without sources, of those that one may have at most.
int rows_max(const std::vector<DataSourceConfig>& sources) {
  int most = sources.empty() ? static_cast<int>(kRowLimit.most) : 1;
  for (const DataSourceConfig& source : sources) most = std::max(most, source.row_limit);
  return most;
}

std::string version_of(const std::vector<DataSourceConfig>& sources) {
  std::vector<std::string> asked;
  for (const DataSourceConfig& source : sources) {
    asked.push_back(source.name);
    asked.push_back(PgConnection::named_by(source.url));
    asked.push_back(std::to_string(source.row_limit));
    asked.push_back(std::to_string(source.result_bytes_max));
    asked.insert(asked.end(), source.functions.begin(), source.functions.end());
    asked.push_back(source.tenancy.tenant_setting);
    for (const auto& [tenant, own] : source.tenancy.tenants) {
      asked.push_back(tenant + " " + own.role);
      for (const auto& [name, value] : own.settings) asked.push_back(name + "=" + value);
    }
  }
  return configured_version("2.0.0", asked);
}

constexpr const char* kStatement =
    "One PostgreSQL SELECT statement (WITH, VALUES and EXPLAIN as well).";

constexpr const char* kDescription =
    "Runs one read-only SQL statement (PostgreSQL) against a database and returns its rows. Times "
    "are in UTC.";

SourceText text_of(const DataSourceConfig& source) {
  std::string text =
      "Data source " + source.name + " (at most " + std::to_string(source.row_limit) + " rows)";
  if (!source.description.empty()) text += ": " + source.description;
  if (!source.tables.empty()) text += "\n" + source.tables;
  return {source.name, std::move(text)};
}

/// What a model needs to correct a statement that names what isn't there.
void add_tables(ToolError& error, const DataSourceConfig& source) {
  if (error.code != "42P01" && error.code != "42703") return;  // undefined table, undefined column
  if (!source.tables.empty())
    error.message += "\nTables:\n" + cut_code_points(source.tables, kTablesInError);
}

/// Whether the server was there to say so, or is slow only.
bool answered(const RawToolResult& result) {
  return !result.error || !retryable(result.error->type);
}

}  // namespace

/// A data source with its threads and their sessions.
class QueryDatabase::Source {
 public:
  Source(DataSourceConfig config, Executor& executor)
      : config_(std::move(config)),
        tables_(config_.tables),
        looked_(!tables_.empty()),
        executor_(executor),
        runs_("sql-" + config_.name, config_.pool_size, executor) {}

  const std::string& name() const { return config_.name; }

  std::unique_ptr<ToolRun> run(std::string sql, int limit, ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) {
    return runs_.start(
        [this, sql = std::move(sql), limit, invocation = std::move(invocation)](
            int worker, const tools::Cancellation& cancellation,
            const tools::BlockingRuns::Answer& answer) {
          work({sql, limit, invocation}, worker, cancellation, answer);
        },
        std::move(done));
  }

  int row_limit() const { return config_.row_limit; }

  /// The configuration, with the tables as they are known now.
  DataSourceConfig described() const {
    DataSourceConfig config = config_;
    const std::lock_guard lock(mutex_);
    config.tables = tables_;
    return config;
  }

  /// Whether its tables became known since the last time.
  bool has_news() { return news_.exchange(false); }

 private:
  struct Call {
    const std::string& sql;
    int limit;
    const ToolInvocation& invocation;
  };

  /// What more there is for the rows than is held.
  RawToolResult ask(ReadOnlySession& session, const GuardedSql& sql, const Call& call,
                    const tools::Cancellation& cancellation) {
    const ToolInvocation& invocation = call.invocation;
    const std::string& tenant = invocation.tenant.value;
    if (!invocation.chunks)
      return session.run(sql, tenant, call.limit, invocation.timeout, cancellation,
                         {nullptr, invocation.held_bytes_max});
    tools::WaitingChunks chunks(invocation.chunks, executor_, cancellation);
    return session.run(sql, tenant, call.limit, invocation.timeout, cancellation, {&chunks});
  }

  void work(const Call& call, int worker, const tools::Cancellation& cancellation,
            const tools::BlockingRuns::Answer& answer) {
    const Result<GuardedSql> guarded = guard(call.sql);
    if (!config_.tenancy.allows(call.invocation.tenant.value))
      return answer(tools::failed_with(source_not_allowed(config_.name)));
    if (!guarded) return answer(tools::failed_with(sql_refusal(guarded.error())));
    ReadOnlySession& session = *sessions_[static_cast<std::size_t>(worker)];
    RawToolResult result = ask(session, *guarded, call, cancellation);
    if (!looked_ && answered(result)) look();
    if (result.error) add_tables(*result.error, described());
    answer(std::move(result));
    session.clean_up();
  }

  /// Asks for the tables, as build_tools() does at the start. Two threads may, at the same time.
  void look() {
    const Result<DataSourceFacts> facts = inspect(config_);
    if (!facts) return;
    const std::lock_guard lock(mutex_);
    tables_ = facts->tables;
    looked_ = true;
    news_ = true;
  }

  const DataSourceConfig config_;
  mutable std::mutex mutex_;
  std::string tables_;  ///< for the model; guarded by mutex_
  std::atomic<bool> looked_;
  std::atomic<bool> news_{false};
  Executor& executor_;
  std::vector<std::unique_ptr<ReadOnlySession>> sessions_ = sessions_of<ReadOnlySession>(config_);
  tools::BlockingRuns runs_;  ///< last: its threads end before what they use
};

QueryDatabase::QueryDatabase(std::vector<DataSourceConfig> sources, Executor& executor) {
  descriptor_.name = "query_database";
  descriptor_.version = version_of(sources);
  descriptor_.description = kDescription;
  for (const DataSourceConfig& source : sources) descriptor_.sources.push_back(text_of(source));
  descriptor_.parameters_schema = sql_call_schema(names_of(sources), kStatement, rows_max(sources));
  descriptor_.effect = EffectClass::Pure;
  descriptor_.may_be_cached = true;
  descriptor_.reader = true;
  descriptor_.source_parameter = "data_source";
  descriptor_.cache_policy = CachePolicy::TtlShort;
  for (DataSourceConfig& source : sources)
    sources_.push_back(std::make_unique<Source>(std::move(source), executor));
}

QueryDatabase::~QueryDatabase() = default;

std::optional<ToolError> QueryDatabase::refusal(const std::string& parameters) const {
  const Result<GuardedSql> guarded =
      guard(parse_exact_known<Json>(parameters).at("sql").get<std::string>());
  if (guarded) return std::nullopt;
  return sql_refusal(guarded.error());
}

std::unique_ptr<ToolRun> QueryDatabase::run(ToolInvocation invocation,
                                            std::function<void(RawToolResult)> done) {
  const auto arguments = arguments_of(invocation);
  const Json& parameters = *arguments;  // checked against the schema
  Source& source = source_named(sources_, parameters.at("data_source").get<std::string>());
  return source.run(parameters.at("sql").get<std::string>(),
                    parameters.value("limit", source.row_limit()), std::move(invocation),
                    [this, done = std::move(done)](RawToolResult result) {
                      describe();
                      done(std::move(result));
                    });
}

/// Takes what was learned of the tables into the description.
void QueryDatabase::describe() {
  bool news = false;
  for (const auto& source : sources_) news = source->has_news() || news;
  if (!news) return;
  std::vector<SourceText> texts;
  for (const auto& source : sources_) texts.push_back(text_of(source->described()));
  descriptor_.sources = std::move(texts);
}

}  // namespace ba::sql
