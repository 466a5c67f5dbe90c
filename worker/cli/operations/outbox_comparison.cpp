// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/operations/outbox_comparison.hpp"

#include <algorithm>

#include "pipeline/text/contract/encode_job.hpp"
#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/contract/event_headers.hpp"
#include "pipeline/text/contract/record.hpp"
#include "pipeline/text/contract/result_id.hpp"

namespace ba::cli {
namespace {

/// Stands for the job of a result that the ledger doesn't know: its messages are not in it.
std::string payload_of(const JobResult& result) {
  Job job;
  job.tenant = result.tenant;
  job.job_id = result.job_id;
  job.conversation_id = result.conversation_id;
  job.metadata = result.metadata;
  job.created_at = result.created_at;
  return encode_job(job);
}

storage::AdoptedRecord adopted(const RawRecord& record, const ResultId& id, int shard) {
  storage::AdoptedRecord adopted;
  adopted.record = {id,           shard,         record.source.topic, record.key.value_or(""),
                    record.value, record.headers};
  if (header(record.headers, "ce_type") != kResultEventType) return adopted;
  auto result = decode_result(record.value, header(record.headers, "content-type").value_or(""));
  if (!result) return adopted;
  adopted.payload = payload_of(*result);
  adopted.result = std::move(*result);
  return adopted;
}

/// The shard of a record that the outbox doesn't know: by its job, which its subject names.
int shard_of_record(const RawRecord& record, const ResultId& id, int shards) {
  const auto subject = header(record.headers, "ce_subject");
  if (!subject) return shard_of(id, shards);
  // The tenant ends at one of the slashes: at that with which the id comes out.
  for (std::size_t at = subject->find('/'); at != std::string_view::npos;
       at = subject->find('/', at + 1)) {
    const TenantId tenant{std::string(subject->substr(0, at))};
    const JobId job{std::string(subject->substr(at + 1))};
    for (const std::string_view kind : {kResultKind, kMetricsKind, kDeadLetterKind})
      if (result_id(tenant, job, kind) == id) return shard_of(tenant, job, shards);
  }
  return shard_of(id, shards);
}

}  // namespace

ResultId published_id(const RawRecord& record) {
  for (const char* name : {"ba.error.id", "ce_id"})
    if (const auto id = header(record.headers, name)) return ResultId(std::string(*id));
  return {};
}

OutboxComparison::OutboxComparison(std::vector<ShardComparison> shards, int shards_total,
                                   storage::OutboxEntries entries)
    : shards_(std::move(shards)), shards_total_(shards_total), entries_(std::move(entries)) {}

std::vector<ResultId> OutboxComparison::unfamiliar(const std::vector<RawRecord>& records) const {
  std::vector<ResultId> ids;
  for (const RawRecord& record : records)
    if (ResultId id = published_id(record); !id.empty() && !entries_.contains(id))
      ids.push_back(std::move(id));
  return ids;
}

void OutboxComparison::add(const std::vector<RawRecord>& records,
                           const storage::OutboxEntries& older) {
  for (const RawRecord& record : records) {
    const ResultId id = published_id(record);
    if (id.empty() || !seen_.insert(id).second) continue;
    const auto entry = entries_.find(id);
    if (entry == entries_.end()) {
      if (!older.contains(id)) add_unknown(record, id);
      continue;
    }
    ShardComparison* const known = shard(entry->second.shard);
    if (!known) continue;
    if (entry->second.marked)
      ++known->agreed;
    else
      known->unmarked.push_back(adopted(record, id, entry->second.shard));
  }
}

void OutboxComparison::add_unknown(const RawRecord& record, const ResultId& id) {
  const int number = shard_of_record(record, id, shards_total_);
  if (ShardComparison* const known = shard(number))
    known->unknown.push_back(adopted(record, id, number));
}

std::vector<ShardComparison> OutboxComparison::take() {
  for (const auto& [id, entry] : entries_) {
    ShardComparison* const known = shard(entry.shard);
    if (!known || seen_.contains(id)) continue;
    if (entry.marked)
      known->missing.push_back(id);
    else
      ++known->unpublished;
  }
  for (ShardComparison& each : shards_) std::sort(each.missing.begin(), each.missing.end());
  return std::move(shards_);
}

ShardComparison* OutboxComparison::shard(int number) {
  const auto found = std::find_if(shards_.begin(), shards_.end(), [number](const auto& each) {
    return each.state.shard == number;
  });
  return found == shards_.end() ? nullptr : &*found;
}

}  // namespace ba::cli
