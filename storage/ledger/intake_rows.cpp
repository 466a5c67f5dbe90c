// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/intake_rows.hpp"

#include <algorithm>

#include "pipeline/text/message/utf8.hpp"
#include "storage/ledger/outbox_rows.hpp"
#include "storage/postgres/array_parameter.hpp"

namespace ba::storage {
namespace {

// Sorted, so that two workers that meet the same conversations can't block each other crosswise.
constexpr Statement kInsertConversations{"insert_conversations", R"sql(
  INSERT INTO conversations (tenant, conversation_id, user_id)
  SELECT DISTINCT ON (tenant, conversation_id) tenant, conversation_id, user_id
  FROM unnest($1::text[], $2::text[], $3::text[])
    WITH ORDINALITY AS j (tenant, conversation_id, user_id, n)
  ORDER BY tenant, conversation_id, n
  ON CONFLICT DO NOTHING)sql"};

// An imported one belongs to the user of its first job that names one.
constexpr Statement kOwnImported{"own_imported_conversations", R"sql(
  UPDATE conversations c SET user_id = j.user_id
  FROM (SELECT DISTINCT ON (tenant, conversation_id) tenant, conversation_id, user_id
        FROM unnest($1::text[], $2::text[], $3::text[])
          WITH ORDINALITY AS j (tenant, conversation_id, user_id, n)
        WHERE user_id <> '' ORDER BY tenant, conversation_id, n) AS j
  WHERE c.tenant = j.tenant AND c.conversation_id = j.conversation_id AND c.user_id = ''
    AND c.imported_by IS NOT NULL)sql"};

// In order of arrival: a conversation's jobs run in order of their ids.
constexpr Statement kInsertJobs{"insert_jobs", R"sql(
  INSERT INTO jobs (tenant, job_id, conversation, lane, user_id, agent, payload, created_at,
                    source_topic, source_topic_id, source_partition, source_offset)
  SELECT j.tenant, j.job_id, c.id, j.lane, j.user_id, j.agent, j.payload, j.created_at,
         j.topic, j.topic_id, j.topic_partition, j.topic_offset
  FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::text[],
              $7::bytea[], $8::timestamptz[], $9::text[], $10::text[], $11::integer[],
              $12::bigint[])
    WITH ORDINALITY AS j (tenant, conversation_id, job_id, lane, user_id, agent, payload,
                          created_at, topic, topic_id, topic_partition, topic_offset, n)
  JOIN conversations c ON c.tenant = j.tenant AND c.conversation_id = j.conversation_id
  ORDER BY j.n
  ON CONFLICT (tenant, job_id) DO NOTHING)sql"};

constexpr Statement kInsertDeadLetters{"insert_dead_letters", R"sql(
  INSERT INTO dead_letters (source_topic, source_topic_id, source_partition, source_offset,
                            source_timestamp_ms, reason, field, message, record_key,
                            record_value, record_headers, result_id)
  SELECT * FROM unnest($1::text[], $2::text[], $3::integer[], $4::bigint[], $5::bigint[],
                       $6::text[], $7::text[], $8::text[], $9::bytea[], $10::bytea[],
                       $11::json[], $12::text[])
  ON CONFLICT (source_topic, source_topic_id, source_partition, source_offset,
               source_timestamp_ms) DO NOTHING)sql"};

// What was read in an older epoch says nothing about the log as it is now.
constexpr Statement kKeepOffsets{"keep_offsets", R"sql(
  INSERT INTO intake_offsets AS known (topic, topic_id, topic_partition, next_offset, epoch)
  SELECT topic, topic_id, topic_partition, max(next_offset), epoch
  FROM unnest($1::text[], $2::text[], $3::integer[], $4::bigint[], $5::integer[])
    AS p (topic, topic_id, topic_partition, next_offset, epoch)
  GROUP BY 1, 2, 3, 5 ORDER BY 1, 2, 3
  ON CONFLICT (topic, topic_id, topic_partition) DO UPDATE
  SET next_offset = excluded.next_offset, updated_at = now()
  WHERE known.epoch = excluded.epoch AND known.next_offset < excluded.next_offset)sql"};

// Also where nothing of the log is in the ledger yet: what was read of it may be on its way.
constexpr Statement kFirstEpoch{"first_epoch", R"sql(
  INSERT INTO intake_offsets (topic, topic_id, topic_partition, next_offset)
  VALUES ($1, $2, $3, -1) ON CONFLICT DO NOTHING)sql"};

constexpr Statement kLockEpoch{"lock_epoch", R"sql(
  SELECT next_offset FROM intake_offsets
  WHERE topic = $1 AND topic_id = $2 AND topic_partition = $3 AND epoch = $4 FOR UPDATE)sql"};

constexpr Statement kBeginEpoch{"begin_epoch", R"sql(
  UPDATE intake_offsets SET next_offset = -1, epoch = epoch + 1, updated_at = now()
  WHERE topic = $1 AND topic_id = $2 AND topic_partition = $3)sql"};

constexpr Statement kNoteReset{"note_reset", R"sql(
  INSERT INTO intake_resets (topic, topic_id, topic_partition, epoch, offset_before, incarnation)
  VALUES ($1, $2, $3, $4, $5, $6))sql"};

void write_jobs(Transaction& transaction, const std::vector<IntakeJob>& jobs) {
  if (jobs.empty()) return;
  using enum PgType;
  RowArrays<Text, Text, Text, Smallint, Text, Text, Bytea, Timestamptz, Text, Text, Integer, Bigint>
      rows;
  for (const IntakeJob& intake : jobs) {
    const Job& job = intake.job;
    const RecordSource& source = intake.source;
    rows.add(job.tenant.value, job.conversation_id.value, job.job_id.value,
             static_cast<int>(job.lane), storable(job.user_id), storable(job.agent), intake.payload,
             job.created_at, source.topic, source.topic_id, source.partition, source.offset);
  }
  const auto& tenants = rows.column<0>();
  const auto& conversations = rows.column<1>();
  const auto& users = rows.column<4>();
  transaction.send(kInsertConversations, tenants, conversations, users);
  if (std::ranges::any_of(jobs, [](const IntakeJob& one) { return !one.job.user_id.empty(); }))
    transaction.send(kOwnImported, tenants, conversations, users);
  rows.write(transaction, kInsertJobs);
}

void write_dead_letters(Transaction& transaction, const std::vector<DeadLetter>& letters) {
  using enum PgType;
  RowArrays<Text, Text, Integer, Bigint, Bigint, Text, Text, Text, Bytea, Bytea, Json, Text> rows;
  std::vector<const OutboxRecord*> records;
  for (const DeadLetter& letter : letters) {
    const RecordSource& source = letter.source;
    rows.add(source.topic, source.topic_id, source.partition, source.offset, source.timestamp_ms,
             letter.reason, storable(letter.field), storable(letter.message), letter.key,
             letter.value, headers_to_json(letter.headers), letter.record.result_id.value);
    records.push_back(&letter.record);
  }
  rows.write(transaction, kInsertDeadLetters);
  insert_outbox(transaction, records);
}

void write_offsets(Transaction& transaction, const std::vector<PartitionOffset>& partitions) {
  using enum PgType;
  RowArrays<Text, Text, Integer, Bigint, Integer> rows;
  for (const PartitionOffset& partition : partitions)
    rows.add(partition.topic, partition.topic_id, partition.partition, partition.next_offset,
             partition.epoch);
  rows.write(transaction, kKeepOffsets);
}

Error not_the_epoch(const PartitionOffset& partition) {
  return make_error(ErrorCode::Conflict,
                    "epoch " + std::to_string(partition.epoch) + " of " + partition.topic + "/" +
                        std::to_string(partition.partition) + " is no longer the ledger's");
}

}  // namespace

Result<PartitionOffset> reset_intake(Transaction& transaction, IncarnationId self,
                                     PartitionOffset partition) {
  if (partition.epoch == 0)
    transaction.send(kFirstEpoch, partition.topic, partition.topic_id, partition.partition);
  const auto known = transaction.run(kLockEpoch, partition.topic, partition.topic_id,
                                     partition.partition, partition.epoch);
  if (known.empty()) return not_the_epoch(partition);
  transaction.send(kBeginEpoch, partition.topic, partition.topic_id, partition.partition);
  ++partition.epoch;
  partition.next_offset = -1;
  transaction.send(kNoteReset, partition.topic, partition.topic_id, partition.partition,
                   partition.epoch, known[0].big("next_offset"), self.value);
  return partition;
}

void write_intake(Transaction& transaction, const IntakeBatch& batch) {
  write_jobs(transaction, batch.jobs);
  write_dead_letters(transaction, batch.dead_letters);
  write_offsets(transaction, batch.offsets);
}

}  // namespace ba::storage
