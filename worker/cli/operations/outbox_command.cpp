// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <ostream>

#include "worker/cli/operations/outbox_comparison.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/kafka/receipt_reader.hpp"
#include "worker/kafka/result_reader.hpp"
#include "worker/kafka/shard_producer.hpp"

namespace ba::cli {
namespace {

struct VerifyArguments {
  bool adopt = false;
  bool yes = false;
  bool json = false;
};

void declare(CLI::App& app, VerifyArguments& arguments) {
  auto* adopt = app.add_flag("--adopt", arguments.adopt,
                             "Take over the published records, and start the shards again");
  app.add_flag("--yes", arguments.yes, "Do it, after a look at the comparison")->needs(adopt);
  json_flag(app, arguments.json, JsonForm::Document);
}

using Json = nlohmann::ordered_json;

constexpr Milliseconds kWait{500};
constexpr std::size_t kBatch = 500;
constexpr std::size_t kMissingShown = 10;

/// Brokers' and databases' clocks may differ; what is read too much does no harm.
constexpr std::chrono::minutes kClocksApart{15};

std::vector<std::string> published_topics(const kafka::KafkaTopics& topics) {
  return {topics.results, topics.metrics, topics.dead_letters};
}

/// The shard's last committed batch. To adopt, its producers so far are shut out first, so that no
/// later one can appear.
Result<std::optional<std::int64_t>> receipt_of(const kafka::KafkaOptions& options, int shard,
                                               bool adopt) {
  const std::atomic<bool> abandoned{false};
  if (!adopt) return kafka::read_receipt(options, shard, abandoned);
  return kafka::ShardProducer(options, shard).open();
}

std::optional<WallTime> agreed_by_all(const std::vector<ShardComparison>& shards) {
  std::optional<WallTime> earliest = shards.front().state.agreed_at;
  for (const ShardComparison& shard : shards) {
    if (!shard.state.agreed_at) return std::nullopt;
    earliest = std::min(*earliest, *shard.state.agreed_at);
  }
  return *earliest - kClocksApart;
}

Result<void> read_topics(const storage::PgAccess& access, kafka::ResultReader& reader,
                         OutboxComparison& compared) {
  while (!reader.at_end()) {
    const auto records = reader.read(kWait, kBatch);
    if (!records) return records.error();
    const auto older = storage::find_outbox_entries(access, compared.unfamiliar(*records));
    if (!older) return older.error();
    compared.add(*records, *older);
  }
  return {};
}

Result<std::vector<ShardComparison>> compare(const storage::PgAccess& access,
                                             const kafka::KafkaOptions& options, bool adopt) {
  const auto stopped = storage::stopped_shards(access);
  if (!stopped) return stopped.error();
  const auto total = storage::count_shards(access);
  if (!total) return total.error();
  std::vector<ShardComparison> shards;
  std::vector<int> numbers;
  for (const storage::StoppedShardState& state : *stopped) {
    const auto receipt = receipt_of(options, state.shard, adopt);
    if (!receipt) return receipt.error();
    ShardComparison& shard = shards.emplace_back();
    shard.state = state;
    shard.receipt = *receipt;
    numbers.push_back(state.shard);
  }
  if (shards.empty()) return shards;
  const auto since = agreed_by_all(shards);
  const auto entries = storage::outbox_entries(access, numbers, since);
  if (!entries) return entries.error();
  const auto topics = published_topics(options.topics);
  auto reader = since ? kafka::ResultReader::create(options, topics, *since)
                      : kafka::ResultReader::create(options, topics, kafka::ReadFrom::Beginning);
  if (!reader) return reader.error();
  OutboxComparison compared(std::move(shards), *total, *entries);
  if (auto read = read_topics(access, **reader, compared); !read) return read.error();
  return compared.take();
}

std::string receipt_text(const ShardComparison& shard) {
  return shard.receipt ? std::to_string(*shard.receipt) : "none";
}

void show_table(const std::vector<ShardComparison>& shards, Terminal& terminal) {
  Table table({"SHARD", "MARKED BATCH", "RECEIPT", "AGREED", "PUBLISHED, NOT MARKED",
               "PUBLISHED, UNKNOWN", "NOT PUBLISHED", "MARKED, NOT FOUND"});
  for (const ShardComparison& shard : shards)
    table.add({std::to_string(shard.state.shard), std::to_string(shard.state.published_batch),
               receipt_text(shard), std::to_string(shard.agreed),
               std::to_string(shard.unmarked.size()), std::to_string(shard.unknown.size()),
               std::to_string(shard.unpublished), std::to_string(shard.missing.size())});
  table.write(terminal);
  for (const ShardComparison& shard : shards) {
    const std::size_t shown = std::min(shard.missing.size(), kMissingShown);
    for (std::size_t i = 0; i < shown; ++i)
      terminal.message("shard " + std::to_string(shard.state.shard) +
                       ": marked as published, but on no topic: " + shard.missing[i].value);
  }
}

Json as_json(const ShardComparison& shard) {
  return {{"shard", shard.state.shard},
          {"reason", shard.state.reason},
          {"marked_batch", shard.state.published_batch},
          {"receipt", shard.receipt ? Json(*shard.receipt) : Json(nullptr)},
          {"agreed", shard.agreed},
          {"published_not_marked", shard.unmarked.size()},
          {"published_unknown", shard.unknown.size()},
          {"not_published", shard.unpublished},
          {"marked_not_found", shard.missing.size()}};
}

storage::ShardAdoption adoption_of(ShardComparison shard) {
  storage::ShardAdoption adoption;
  adoption.shard = shard.state.shard;
  adoption.receipt = shard.receipt.value_or(0);
  adoption.records = std::move(shard.unmarked);
  std::move(shard.unknown.begin(), shard.unknown.end(), std::back_inserter(adoption.records));
  return adoption;
}

std::string report_text(const storage::AdoptionReport& report) {
  return "adopted " + counted(report.records_marked + report.records_added, "record") + ", " +
         thousands(report.records_added) + " of them new to the outbox; " +
         counted(report.jobs_ended, "job") + " ended with a published result, " +
         counted(report.jobs_replaced, "result") + " replaced, " +
         counted(report.jobs_added, "job") + " added that the ledger did not know";
}

int verify(const VerifyArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  auto shards = compare(*session.database, *session.broker, arguments.adopt && arguments.yes);
  if (!shards) return terminal.fail(shards.error());
  Json json{{"shards", Json::array()}, {"adopted", nullptr}};
  for (const ShardComparison& shard : *shards) json["shards"].push_back(as_json(shard));
  if (!arguments.json && shards->empty()) terminal.message("no outbox shard is stopped");
  if (!arguments.json && !shards->empty()) show_table(*shards, terminal);
  int exit_code = shards->empty() ? kExitOk : kExitFailed;
  if (arguments.adopt && arguments.yes && !shards->empty()) {
    std::vector<storage::ShardAdoption> adoptions;
    for (ShardComparison& shard : *shards) adoptions.push_back(adoption_of(std::move(shard)));
    const auto report = storage::adopt_published(*session.database, adoptions);
    if (!report) return terminal.fail(report.error());
    json["adopted"] = {{"records_marked", report->records_marked},
                       {"records_added", report->records_added},
                       {"jobs_ended", report->jobs_ended},
                       {"jobs_replaced", report->jobs_replaced},
                       {"jobs_added", report->jobs_added}};
    terminal.message(report_text(*report));
    exit_code = kExitOk;
  } else if (arguments.adopt && !shards->empty()) {
    terminal.message(
        "nothing was changed: --adopt --yes takes over the published records, and starts the "
        "shards again");
  }
  if (arguments.json) terminal.out() << json.dump(2) << "\n";
  return exit_code;
}

}  // namespace

Command outbox_verify_command() {
  return command<VerifyArguments>(
      {.name = "outbox verify",
       .summary = "Compare stopped outbox shards with the result topics",
       .examples = "  ba-agent outbox verify\n"
                   "  ba-agent outbox verify --adopt --yes   # with all workers stopped",
       .needs = {.database = true, .schema = true, .broker = true}},
      declare, verify);
}

}  // namespace ba::cli
