// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/database_write.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/joined.hpp"
#include "worker/tools/base/blocking_runs.hpp"
#include "worker/tools/sql/sql_calls.hpp"
#include "worker/tools/sql/statement/sql_write_guard.hpp"
#include "worker/tools/sql/write_session.hpp"

namespace ba::sql {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStatement =
    "One PostgreSQL INSERT, UPDATE or DELETE statement; RETURNING gives back its rows.";

constexpr const char* kDescription =
    "Changes rows of a database (PostgreSQL) with one SQL statement, in a transaction of its own, "
    "and says how many rows it changed. The change is permanent. UPDATE and DELETE need a WHERE.";

SourceText text_of(const WriteSourceConfig& source) {
  std::string text = "Data source " + source.name;
  if (!source.description.empty()) text += ": " + source.description;
  text += "\nAllowed: " +
          joined(std::views::transform(source.rules.statements,
                                       [](WriteStatement one) { return to_string(one); })) +
          "; at most " + std::to_string(source.row_limit) +
          " rows at a time; tables: " + joined(source.rules.tables);
  return {source.name, std::move(text)};
}

}  // namespace

/// A data source with its threads and their sessions.
class DatabaseWrite::Source {
 public:
  Source(WriteSourceConfig config, Executor& executor)
      : config_(std::move(config)), runs_("write-" + config_.name, config_.pool_size, executor) {}

  const std::string& name() const { return config_.name; }
  const WriteRules& rules() const { return config_.rules; }

  std::unique_ptr<ToolRun> run(std::string sql, WriteOrder order,
                               std::function<void(RawToolResult)> done) {
    return runs_.start(
        [this, sql = std::move(sql), order = std::move(order)](
            int worker, const tools::Cancellation& cancellation,
            const tools::BlockingRuns::Answer& answer) {
          work(sql, order, worker, cancellation, answer);
        },
        std::move(done));
  }

 private:
  void work(const std::string& sql, WriteOrder order, int worker,
            const tools::Cancellation& cancellation, const tools::BlockingRuns::Answer& answer) {
    Result<GuardedWrite> guarded = guard_write(sql, config_.rules);
    if (!config_.tenancy.allows(order.tenant)) {
      RawToolResult result = tools::failed_with(source_not_allowed(config_.name));
      result.never_happened = true;
      return answer(std::move(result));
    }
    if (!guarded) return answer(tools::failed_with(sql_refusal(guarded.error())));
    order.write = std::move(*guarded);
    WriteSession& session = *sessions_[static_cast<std::size_t>(worker)];
    answer(session.run(order, cancellation));
    session.clean_up();
  }

  const WriteSourceConfig config_;
  std::vector<std::unique_ptr<WriteSession>> sessions_ = sessions_of<WriteSession>(config_);
  tools::BlockingRuns runs_;  ///< last: its threads end before what they use
};

DatabaseWrite::DatabaseWrite(std::vector<WriteSourceConfig> sources, Executor& executor) {
  descriptor_.name = "database_write";
  descriptor_.description = kDescription;
  for (const WriteSourceConfig& source : sources) descriptor_.sources.push_back(text_of(source));
  descriptor_.parameters_schema = sql_call_schema(names_of(sources), kStatement);
  descriptor_.in_turn = true;
  descriptor_.effect = EffectClass::Keyed;
  descriptor_.source_parameter = "data_source";
  descriptor_.permission = PermissionLevel::Admin;
  for (WriteSourceConfig& source : sources)
    sources_.push_back(std::make_unique<Source>(std::move(source), executor));
}

DatabaseWrite::~DatabaseWrite() = default;

std::optional<ToolError> DatabaseWrite::refusal(const std::string& parameters_json) const {
  const Json parameters = parse_exact_known<Json>(parameters_json);
  const std::string name = parameters.value("data_source", "");
  const auto source =
      std::ranges::find(sources_, name, [](const auto& one) { return one->name(); });
  const Result<GuardedWrite> guarded =
      guard_write(parameters.at("sql").get<std::string>(),
                  source == sources_.end() ? WriteRules{} : (*source)->rules());
  if (guarded) return std::nullopt;
  return sql_refusal(guarded.error());
}

std::unique_ptr<ToolRun> DatabaseWrite::run(ToolInvocation invocation,
                                            std::function<void(RawToolResult)> done) {
  BA_ASSERT(!invocation.idempotency_key.empty());
  const auto arguments = arguments_of(invocation);
  const Json& parameters = *arguments;  // checked against the schema
  Source& source = source_named(sources_, parameters.at("data_source").get<std::string>());
  WriteOrder order;
  order.key = invocation.idempotency_key;
  order.tenant = invocation.tenant.value;
  order.timeout = invocation.timeout;
  return source.run(parameters.at("sql").get<std::string>(), std::move(order), std::move(done));
}

}  // namespace ba::sql
