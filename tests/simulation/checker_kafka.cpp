// SPDX-License-Identifier: Apache-2.0
// What holds of the records in Kafka: those that come out, and those that were read.
#include <algorithm>

#include "tests/simulation/checker.hpp"

namespace ba::sim {
namespace {

bool holds(const std::vector<DeadLetter>& letters, const RecordSource& source) {
  return std::any_of(letters.begin(), letters.end(),
                     [&](const DeadLetter& letter) { return same_record(letter.source, source); });
}

}  // namespace

/// Invariant 1, Kafka's half.
void Checker::record_visible(const OutboxRecord& record) {
  world_.note("visible", record.shard, 0, record.topic);
  if (++published_[record.result_id] > 1)
    fail("a record of " + record.topic + " was committed twice: " + record.key);
  if (set_back_) return;
  const auto& outbox = database_->rows().outbox();
  const auto row = std::find_if(outbox.begin(), outbox.end(), [&](const FakeOutboxRow& each) {
    return each.record.result_id == record.result_id;
  });
  if (row == outbox.end() || row->record.value != record.value)
    fail("what " + record.topic + " shows is not what the outbox has: " + record.key);
  check_order(record, {outbox.begin(), row});
  check_letter(record);
}

/// Within a shard each topic has its records in the order in which they were decided.
void Checker::check_order(const OutboxRecord& record, std::span<const FakeOutboxRow> before) {
  const bool overtaken = std::any_of(before.begin(), before.end(), [&](const FakeOutboxRow& row) {
    return row.record.shard == record.shard && row.record.topic == record.topic &&
           !published_.contains(row.record.result_id);
  });
  if (overtaken)
    fail("a record of " + record.topic + " has overtaken one before it: " + record.key);
}

/// A record's letter carries that record, or says only where it stood when Kafka refused it: none
/// of what its producer's headers claim decides that.
void Checker::check_letter(const OutboxRecord& record) {
  const FakeLedger& rows = database_->rows();
  const auto of_record = [&](const DeadLetter& letter) {
    return letter.record.result_id == record.result_id;
  };
  const auto& letters = rows.dead_letters();
  const auto letter = std::find_if(letters.begin(), letters.end(), of_record);
  if (letter == letters.end()) return;
  if (record.value == letter->value && record.headers == letter->record.headers) return;
  const bool small = record.value.empty() && record.headers.front().first == "ba.error.topic" &&
                     record.headers.front().second == letter->source.topic;
  if (!small) fail("what stands for a refused letter is none: " + record.result_id.value);
  if (!letter->headers.empty()) world_.mark(Mark::ForgedLetterReplaced);
}

void Checker::receipt_visible(int shard, std::int64_t number) {
  if (set_back_) return;
  const FakeShard& row = database_->rows().shards().at(static_cast<std::size_t>(shard));
  if (number > row.assigned_batch)
    fail("a receipt for batch " + std::to_string(number) + " that was never assigned");
}

/// What isn't out yet can be replaced; the job's row has to say the same.
void Checker::check_unpublished() {
  const FakeLedger& rows = database_->rows();
  for (const auto& [id, job] : rows.jobs())
    if (job.state == FakeJobState::Finished && !job.asked_by &&
        !published_.contains(job.finished->result.result_id))
      check_in_outbox(job);
}

void Checker::record_refused(const OutboxRecord& record) {
  world_.note("refused", record.shard, 0, record.topic);
  world_.mark(Mark::RecordRefused);
  refused_.insert(record.result_id);
}

/// Is it a job or a dead letter?
bool Checker::taken_in(const RawRecord& record) const {
  const FakeLedger& rows = database_->rows();
  if (*record.key != "none") return row_of(std::stoi(*record.key)) != nullptr;
  return holds(rows.dead_letters(), record.source) || holds(rows.removed_letters(), record.source);
}

/// Invariant 2.
void Checker::offset_committed(const PartitionKey& key, std::int64_t next) {
  if (!set_back_) check_taken_in(key, next, "Kafka's");
}

void Checker::check_taken_in(const PartitionKey& key, std::int64_t next, const char* whose) {
  const JobLog& log = group_->logs().at(key);
  if (log.in_doubt) return;  // it speaks of the log before
  const std::string name = key.first + "/" + std::to_string(key.second);
  if (next > std::ssize(log.records))
    fail(std::string(whose) + " offset is past the end of " + name);
  for (std::int64_t offset = 0; offset < std::min(next, std::ssize(log.records)); ++offset)
    if (!taken_in(log.records.at(static_cast<std::size_t>(offset))))
      fail(std::string(whose) + " offset of " + name + " went past record " +
           std::to_string(offset) + ", which is neither job nor dead letter");
}

}  // namespace ba::sim
