// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "storage/control/dead_things.sql.hpp"
#include "storage/control/write_once.hpp"
#include "storage/dead_letters.hpp"
#include "storage/ledger/outbox_rows.hpp"

namespace ba::storage {
namespace {

constexpr Statement kRedrives{"redrives", R"sql(
  SELECT redriven_by, redriven_at, coalesce(new_tenant || '/' || new_job_id, '') AS new_job,
         sent_at IS NOT NULL AS sent
  FROM redrives WHERE dead_letter = $1 OR job = $2 ORDER BY id)sql"};

constexpr Statement kRecord{"dead_record", R"sql(
  SELECT source_topic, source_topic_id, source_partition, source_offset, source_timestamp_ms,
         reason, field, message, result_id, record_value, record_headers, record_key
  FROM dead_letters WHERE id = $1)sql"};

constexpr Statement kOutboxRecord{"outbox_record", R"sql(
  SELECT shard, topic, record_key, record_value, record_headers
  FROM outbox WHERE result_id = $1)sql"};

constexpr Statement kBegin{"begin_redrive", R"sql(
  INSERT INTO redrives (dead_letter, edited, redriven_by) SELECT id, $2::boolean, $3::text
  FROM dead_letters WHERE id = $1 RETURNING id)sql"};

constexpr Statement kEnd{"end_redrive", R"sql(
  UPDATE redrives SET sent_at = now() WHERE id = $1)sql"};

Error no_letter(const std::string& id) {
  return make_error(ErrorCode::NotFound,
                    "there is no dead letter " + id + ", see `ba-agent dlq list`");
}

bool names_letter(const std::string& id) {
  return !id.empty() && id.size() <= 18 && id.find_first_not_of("0123456789") == std::string::npos;
}

Redrive read_redrive(const Row& row) {
  Redrive redrive;
  redrive.by = row.text("redriven_by");
  redrive.at = row.time("redriven_at");
  redrive.new_job = row.text("new_job");
  redrive.sent = row.flag("sent");
  return redrive;
}

DeadThing read_thing(Transaction& transaction, const Row& row) {
  DeadThing thing;
  thing.letter = row.big("letter");
  if (thing.letter == 0)
    thing.job = JobName{TenantId(row.text("tenant")), JobId(row.text("job_id"))};
  thing.reason = row.text("reason");
  thing.field = row.text("field");
  thing.message = row.text("message");
  thing.at = row.time("at");
  thing.source.topic = row.text("source_topic");
  thing.source.partition = row.number("source_partition");
  thing.source.offset = row.big("source_offset");
  const std::int64_t key = row.big("key");
  const std::int64_t none = 0;
  thing.redrives = read_all(
      transaction.run(kRedrives, thing.job ? none : key, thing.job ? key : none), read_redrive);
  return thing;
}

DeadLetter read_letter(const Row& row) {
  DeadLetter letter;
  letter.source.topic = row.text("source_topic");
  letter.source.topic_id = row.text("source_topic_id");
  letter.source.partition = row.number("source_partition");
  letter.source.offset = row.big("source_offset");
  letter.source.timestamp_ms = row.big("source_timestamp_ms");
  letter.reason = row.text("reason");
  letter.field = row.text("field");
  letter.message = row.text("message");
  letter.record.result_id = ResultId(row.text("result_id"));
  letter.value = row.bytes("record_value");
  letter.headers = headers_from_json(row.view("record_headers"));
  if (!row.is_null("record_key")) letter.key = row.bytes("record_key");
  return letter;
}

Result<std::vector<DeadThing>> list(Transaction& transaction, const DeadFilter& filter) {
  BigintArray letters;
  TextArray jobs;
  for (const std::string& id : filter.ids)
    names_letter(id) ? letters.add(std::stoll(id)) : jobs.add(id);
  std::optional<std::int64_t> age;
  if (filter.newer_than) age = filter.newer_than->count();
  const std::optional<std::string> all;
  const auto rows_of = [&](const auto& of_letters, const auto& of_jobs) {
    const std::size_t most =
        filter.ids.empty() ? static_cast<std::size_t>(filter.rows_max) : filter.ids.size();
    return transaction.run(sql::kDeadThings, of_letters, of_jobs, filter.reason, age, most,
                           filter.tenant);
  };
  const auto rows = filter.ids.empty() ? rows_of(all, all) : rows_of(letters, jobs);
  std::vector<DeadThing> things;
  for (const Row& row : rows) things.push_back(read_thing(transaction, row));
  for (const std::string& id : filter.ids) {
    const bool found = std::any_of(things.begin(), things.end(),
                                   [&](const DeadThing& thing) { return thing.id() == id; });
    if (!found) return no_letter(id);
  }
  return things;
}

}  // namespace

std::string DeadThing::id() const {
  return job ? job->tenant.value + "/" + job->job.value : std::to_string(letter);
}

Result<std::vector<DeadThing>> list_dead(const PgAccess& access, const DeadFilter& filter) {
  return read_once(access, [&](Transaction& transaction) { return list(transaction, filter); });
}

Result<DeadLetter> find_dead_record(const PgAccess& access, std::int64_t letter) {
  return read_once(access, [&](Transaction& transaction) -> Result<DeadLetter> {
    const auto rows = transaction.run(kRecord, letter);
    if (rows.empty()) return no_letter(std::to_string(letter));
    return read_letter(rows[0]);
  });
}

Result<std::optional<OutboxRecord>> find_outbox_record(const PgAccess& access, const ResultId& id) {
  using Found = std::optional<OutboxRecord>;
  return read_once(access, [&](Transaction& transaction) -> Result<Found> {
    const auto rows = transaction.run(kOutboxRecord, id.value);
    if (rows.empty()) return Found();
    const Row row = rows[0];
    OutboxRecord record;
    record.result_id = id;
    record.shard = row.number("shard");
    record.topic = row.text("topic");
    record.key = row.bytes("record_key");
    record.value = row.bytes("record_value");
    record.headers = headers_from_json(row.view("record_headers"));
    return Found(std::move(record));
  });
}

Result<std::int64_t> begin_redrive(const PgAccess& access, std::int64_t letter, bool edited,
                                   const std::string& by) {
  return write_once(access, [&](Transaction& transaction) -> Result<std::int64_t> {
    const auto rows = transaction.run(kBegin, letter, edited, by);
    if (rows.empty()) return no_letter(std::to_string(letter));
    return rows[0].big("id");
  });
}

Result<void> end_redrive(const PgAccess& access, std::int64_t note) {
  return write_once(access, [&](Transaction& transaction) -> Result<void> {
    transaction.run(kEnd, note);
    return {};
  });
}

}  // namespace ba::storage
