// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/outbox_batch.hpp"

#include "pipeline/core/ledger/ledger.hpp"
#include "storage/ledger/fence.hpp"
#include "storage/ledger/outbox_rows.hpp"
#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/rows.hpp"

namespace ba::storage {
namespace {

// A look without locks: alive, owned, idle (nothing in flight, nothing pending).
constexpr Statement kLook{"look_at_shard", R"sql(
  SELECT EXISTS (SELECT 1 FROM incarnations
                 WHERE id = $2 AND state = 'alive' AND lease_until > clock_timestamp()) AS alive,
         coalesce(s.incarnation = $2, false) AS owned,
         s.in_flight = '{}'
           AND NOT EXISTS (SELECT 1 FROM outbox WHERE shard = $1 AND published_at IS NULL
                                              AND topic <> ALL ($3::text[])) AS idle,
         s.assigned_batch
  FROM outbox_shards s WHERE s.shard = $1)sql"};

constexpr Statement kLockShard{"lock_shard", R"sql(
  SELECT assigned_batch, in_flight <> '{}' AS in_flight FROM outbox_shards
  WHERE shard = $1 AND incarnation = $2 FOR UPDATE)sql"};

constexpr Statement kMarkRows{"mark_published", R"sql(
  UPDATE outbox o SET batch = s.assigned_batch, published_at = now()
  FROM outbox_shards s WHERE s.shard = $1 AND o.id = ANY (s.in_flight))sql"};

constexpr Statement kMarkShard{"mark_shard", R"sql(
  UPDATE outbox_shards
  SET published_batch = assigned_batch, in_flight = '{}', published_at = now()
  WHERE shard = $1)sql"};

constexpr Statement kAssign{"assign_batch", R"sql(
  WITH oldest AS MATERIALIZED (
    SELECT id, octet_length(record_value) AS bytes FROM outbox
    WHERE shard = $1 AND published_at IS NULL AND topic <> ALL ($4::text[])
    ORDER BY id LIMIT $2::integer),
  pending AS MATERIALIZED (
    SELECT id FROM (SELECT id, bytes, sum(bytes) OVER (ORDER BY id) AS total FROM oldest) weighed
    WHERE total <= $3::bigint OR total = bytes)
  UPDATE outbox_shards
  SET assigned_batch = assigned_batch + 1, in_flight = ARRAY (SELECT id FROM pending ORDER BY id)
  WHERE shard = $1 AND EXISTS (SELECT 1 FROM pending))sql"};

// A row's xmin is the transaction that wrote it last.
constexpr Statement kWithdraw{"withdraw_batch", R"sql(
  UPDATE outbox_shards SET in_flight = '{}' WHERE shard = $1 AND xmin::text::bigint = $2)sql"};

constexpr Statement kInFlight{"in_flight", R"sql(
  SELECT s.assigned_batch, o.result_id, o.topic, o.record_key, o.record_value, o.record_headers,
         s.xmin::text::bigint AS version
  FROM outbox_shards s JOIN outbox o ON o.id = ANY (s.in_flight)
  WHERE s.shard = $1 ORDER BY o.id)sql"};

constexpr Statement kReplaceRecord{"replace_record", R"sql(
  UPDATE outbox o SET topic = $3, record_key = $4::bytea, record_value = $5::bytea,
                      record_headers = $6::json
  FROM outbox_shards s
  WHERE s.shard = $1 AND o.result_id = $2 AND o.id = ANY (s.in_flight))sql"};

// The terminal row and the published record have the same bytes.
constexpr Statement kReplaceResult{"replace_result", R"sql(
  UPDATE jobs SET outcome = $3, error_type = $4, error_code = $5, error_message = $6, result = $7::bytea
  WHERE tenant = $1 AND job_id = $2 AND state = 'finished' AND result_id = $8)sql"};

TextArray array_of(const std::set<std::string>& topics) {
  TextArray array;
  for (const std::string& topic : topics) array.add(topic);
  return array;
}

OutboxBatch read_batch(Transaction& transaction, int shard) {
  OutboxBatch batch;
  batch.shard = shard;
  for (const Row& row : transaction.run(kInFlight, shard)) {
    batch.number = row.big("assigned_batch");
    batch.version = row.big("version");
    OutboxRecord record;
    record.shard = shard;
    record.result_id = ResultId(row.text("result_id"));
    record.topic = row.text("topic");
    record.key = row.bytes("record_key");
    record.value = row.bytes("record_value");
    record.headers = headers_from_json(row.view("record_headers"));
    batch.records.push_back(std::move(record));
  }
  return batch;
}

Error not_owned(int shard, IncarnationId self) {
  return shard_conflict(shard,
                        "is stopped or not owned by incarnation " + std::to_string(self.value));
}

}  // namespace

Error shard_conflict(int shard, const std::string& why) {
  return make_error(ErrorCode::Conflict, "outbox shard " + std::to_string(shard) + " " + why);
}

Result<OutboxBatch> advance_shard(Transaction& transaction, IncarnationId self,
                                  const BatchRequest& request) {
  const int shard = request.shard;
  const TextArray without = array_of(request.without);
  const HistoryProof history(transaction, self);
  if (auto known = history.begin(); !known) return known.error();
  const auto look = transaction.run(kLook, shard, self.value, without);
  if (look.empty()) return shard_conflict(shard, "does not exist");
  if (!look[0].flag("alive")) return history.refused();
  if (!look[0].flag("owned")) return not_owned(shard, self);
  if (request.published > look[0].big("assigned_batch"))
    return shard_conflict(shard, "never assigned batch " + std::to_string(request.published));
  if (look[0].flag("idle")) return OutboxBatch{shard, 0, {}, 0};

  if (auto alive = fence(transaction, self); !alive) return alive.error();
  const auto locked = transaction.run(kLockShard, shard, self.value);
  if (locked.empty()) return not_owned(shard, self);
  const std::int64_t assigned = locked[0].big("assigned_batch");
  bool in_flight = locked[0].flag("in_flight");
  if (in_flight && request.published == assigned) {
    transaction.send(kMarkRows, shard);
    transaction.send(kMarkShard, shard);
    in_flight = false;
  }
  if (!in_flight)
    transaction.send(kAssign, shard, request.records_max,
                     static_cast<std::int64_t>(kOutboxBatchBytesMax), without);
  return read_batch(transaction, shard);
}

Result<void> withdraw_in_flight(Transaction& transaction, IncarnationId self, int shard,
                                std::int64_t version) {
  if (auto alive = fence(transaction, self); !alive) return alive;
  if (transaction.run(kLockShard, shard, self.value).empty()) return not_owned(shard, self);
  transaction.send(kWithdraw, shard, version);
  return {};
}

Result<void> replace_in_flight(Transaction& transaction, IncarnationId self, int shard,
                               const RecordReplacement& replacement) {
  if (auto alive = fence(transaction, self); !alive) return alive;
  if (transaction.run(kLockShard, shard, self.value).empty()) return not_owned(shard, self);
  const OutboxRecord& record = replacement.record;
  const auto replaced = transaction.run(kReplaceRecord, shard, record.result_id.value, record.topic,
                                        hex_of_bytes(record.key), hex_of_bytes(record.value),
                                        headers_to_json(record.headers));
  if (replaced.affected() == 0)
    return shard_conflict(shard, "has no record " + record.result_id.value + " in flight");
  if (!replacement.result) return {};
  const JobResult& result = *replacement.result;
  const JobError error = result.error.value_or(JobError{});
  transaction.send(kReplaceResult, result.tenant.value, result.job_id.value,
                   std::string(to_string(result.outcome)), error.type, error.code, error.message,
                   hex_of_bytes(record.value), record.result_id.value);
  return {};
}

}  // namespace ba::storage
