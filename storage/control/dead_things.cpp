// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "storage/control/write_once.hpp"
#include "storage/dead_letters.hpp"
#include "storage/ledger/outbox_rows.hpp"
#include "storage/query/row_values.hpp"

namespace ba {
namespace {

// $1 letters or null, $2 "tenant/job id"s or null (both null: all), $3 reason or '', $4 the
// greatest age in milliseconds or null, $5 rows, $6 tenant or ''.
constexpr Statement kDead{"dead_things", R"sql(
  SELECT * FROM (
    (SELECT l.id AS letter, '' AS tenant, '' AS job_id, l.reason, l.field, l.message,
            l.created_at AS at, l.source_topic, l.source_partition, l.source_offset, l.id AS key
     FROM dead_letters l
     WHERE ($1::bigint[] IS NULL OR l.id = ANY ($1::bigint[])) AND ($3 = '' OR l.reason = $3)
       AND $6 = ''
       AND ($4::bigint IS NULL OR l.created_at >= now() - $4 * interval '1 millisecond')
     ORDER BY l.id DESC LIMIT $5::integer)
    UNION ALL
    (SELECT 0, j.tenant, j.job_id, coalesce(j.error_code, j.outcome), '',
            coalesce(j.error_message, ''), j.finished_at, j.source_topic, j.source_partition,
            j.source_offset, j.id
     FROM jobs j
     WHERE j.outcome IN ('poisoned', 'failed') AND j.parent IS NULL AND ($6 = '' OR j.tenant = $6)
       AND ($2::text[] IS NULL OR j.tenant || '/' || j.job_id = ANY ($2::text[]))
       AND ($3 = '' OR coalesce(j.error_code, j.outcome) = $3)
       AND ($4::bigint IS NULL OR j.finished_at >= now() - $4 * interval '1 millisecond')
     ORDER BY j.id DESC LIMIT $5::integer)) AS dead
  ORDER BY at DESC LIMIT $5::integer)sql"};

constexpr Statement kRedrives{"redrives", R"sql(
  SELECT redriven_by, redriven_at, coalesce(new_tenant || '/' || new_job_id, ''),
         sent_at IS NOT NULL
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
  Error error;
  error.code = ErrorCode::NotFound;
  error.message = "there is no dead letter " + id + ", see `ba-agent dlq list`";
  return error;
}

bool names_letter(const std::string& id) {
  return !id.empty() && id.size() <= 18 && id.find_first_not_of("0123456789") == std::string::npos;
}

DeadThing read_thing(Transaction& transaction, const pqxx::row& row) {
  RowValues values(row);
  DeadThing thing;
  thing.letter = values.big();
  const TenantId tenant(values.text());
  const JobId job(values.text());
  if (thing.letter == 0) thing.job = JobName{tenant, job};
  thing.reason = values.text();
  thing.field = values.text();
  thing.message = values.text();
  thing.at = values.time();
  thing.source.topic = values.text();
  thing.source.partition = values.number();
  thing.source.offset = values.big();
  const std::int64_t key = values.big();
  const auto redrives =
      transaction.run(kRedrives, thing.job ? 0 : key, thing.job ? key : std::int64_t{0});
  for (const auto& each : redrives) {
    RowValues columns(each);
    Redrive redrive;
    redrive.by = columns.text();
    redrive.at = columns.time();
    redrive.new_job = columns.text();
    redrive.sent = columns.flag();
    thing.redrives.push_back(std::move(redrive));
  }
  return thing;
}

DeadLetter read_letter(const pqxx::row& row) {
  RowValues values(row);
  DeadLetter letter;
  letter.source.topic = values.text();
  letter.source.topic_id = values.text();
  letter.source.partition = values.number();
  letter.source.offset = values.big();
  letter.source.timestamp_ms = values.big();
  letter.reason = values.text();
  letter.field = values.text();
  letter.message = values.text();
  letter.record.result_id = ResultId(values.text());
  letter.value = values.bytes();
  letter.headers = headers_from_json(values.text());
  if (!row[row.size() - 1].is_null()) letter.key = values.bytes();
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
    return transaction.run(kDead, of_letters, of_jobs, filter.reason, age, most, filter.tenant);
  };
  const auto rows = filter.ids.empty() ? rows_of(all, all) : rows_of(letters, jobs);
  std::vector<DeadThing> things;
  for (const auto& row : rows) things.push_back(read_thing(transaction, row));
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
    RowValues values(rows[0]);
    OutboxRecord record;
    record.result_id = id;
    record.shard = values.number();
    record.topic = values.text();
    record.key = values.bytes();
    record.value = values.bytes();
    record.headers = headers_from_json(values.text());
    return Found(std::move(record));
  });
}

Result<std::int64_t> begin_redrive(const PgAccess& access, std::int64_t letter, bool edited,
                                   const std::string& by) {
  return write_once(access, [&](Transaction& transaction) -> Result<std::int64_t> {
    const auto rows = transaction.run(kBegin, letter, edited, by);
    if (rows.empty()) return no_letter(std::to_string(letter));
    return rows[0][0].as<std::int64_t>();
  });
}

Result<void> end_redrive(const PgAccess& access, std::int64_t note) {
  return write_once(access, [&](Transaction& transaction) -> Result<void> {
    transaction.run(kEnd, note);
    return {};
  });
}

}  // namespace ba
