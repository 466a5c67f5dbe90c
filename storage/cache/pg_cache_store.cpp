// SPDX-License-Identifier: Apache-2.0
#include "storage/cache/pg_cache_store.hpp"

#include <optional>
#include <utility>

#include "storage/ledger/answer_from.hpp"
#include "storage/ledger/shared_columns.hpp"
#include "storage/postgres/array_parameter.hpp"

namespace ba::storage {
namespace {

// $1 key, $2 milliseconds that it may be old. A hit is counted where it is found; nobody waits for
// nobody here. A count that is full stays so: it is no reason to fail.
constexpr Statement kFind{"cache_find", R"sql(
  UPDATE tool_results SET hits = least(hits, 9223372036854775806) + 1, used_at = clock_timestamp()
  WHERE key = $1 AND expires_at > clock_timestamp()
    AND created_at > clock_timestamp() - $2 * interval '1 millisecond'
    AND created_at <= clock_timestamp()
  RETURNING data, note,
            (extract(epoch FROM clock_timestamp() - created_at) * 1000)::bigint AS age_ms,
            (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint AS left_ms,
            job, round, step, idx)sql"};

// $1 key, $2 owner, $3 milliseconds. No row: another's lease holds.
constexpr Statement kTakeOff{"cache_take_off", R"sql(
  INSERT INTO tool_flights AS f (key, owner, until)
  VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
  WHERE f.until <= clock_timestamp() OR f.owner = excluded.owner
  RETURNING 1)sql"};

constexpr Statement kKeep{"cache_keep", R"sql(
  INSERT INTO tool_results (key, tenant, tool, tool_version, caller, data_source, data, data_bytes,
                            job, round, step, idx, expires_at, note)
  VALUES ($1, $2, $3, $4, $5, $6, $7, octet_length($7) + octet_length($13), $8, $9, $10, $11,
          clock_timestamp() + $12 * interval '1 millisecond', $13)
  ON CONFLICT (key) DO UPDATE
  SET data = excluded.data, note = excluded.note, data_bytes = excluded.data_bytes, job = excluded.job,
      round = excluded.round, step = excluded.step, idx = excluded.idx,
      created_at = excluded.created_at, used_at = excluded.used_at,
      expires_at = excluded.expires_at)sql"};

constexpr Statement kLand{"cache_land", R"sql(
  DELETE FROM tool_flights WHERE key = ANY ($1::text[]) AND owner = $2)sql"};

constexpr Statement kRenew{"cache_renew", R"sql(
  UPDATE tool_flights SET until = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE key = ANY ($1::text[]) AND owner = $2)sql"};

constexpr Statement kCountHits{"cache_count_hits", R"sql(
  UPDATE tool_results r SET hits = r.hits + least(h.hits, 9223372036854775807 - r.hits),
                            used_at = clock_timestamp()
  FROM unnest($1::text[], $2::bigint[]) AS h (key, hits) WHERE r.key = h.key)sql"};

constexpr Statement kOneAtATime{"cache_lock", R"sql(
  SELECT pg_try_advisory_xact_lock(hashtextextended('ba cache ' || current_schema(), 0))
         AS locked)sql"};

// $1 rows.
constexpr Statement kRemoveExpired{"cache_remove_expired", R"sql(
  DELETE FROM tool_results WHERE key = ANY (ARRAY (
    SELECT key FROM tool_results WHERE expires_at <= now()
    ORDER BY expires_at LIMIT $1::integer)))sql"};

constexpr Statement kMeasure{"cache_measure", R"sql(
  SELECT count(*) AS entries, coalesce(sum(data_bytes), 0)::bigint AS bytes
  FROM tool_results)sql"};

// The least recently used beyond the first $1 rows or $2 bytes of the others.
constexpr Statement kRemoveUnused{"cache_remove_unused", R"sql(
  DELETE FROM tool_results r USING (
    SELECT key, row_number() OVER recent AS place, sum(data_bytes) OVER recent AS bytes
    FROM tool_results WINDOW recent AS (ORDER BY used_at DESC, key)) AS o
  WHERE r.key = o.key AND (o.place > $1 OR o.bytes > $2))sql"};

constexpr Statement kRemoveFlights{"cache_remove_flights", R"sql(
  DELETE FROM tool_flights WHERE until < clock_timestamp() - interval '1 minute')sql"};

TextArray array_of(const std::vector<std::string>& texts) {
  TextArray array;
  for (const std::string& text : texts) array.add(text);
  return array;
}

std::optional<StoredResult> find(Transaction& transaction, const CacheQuestion& question) {
  const auto found = transaction.run(kFind, question.key, question.time_to_live.count());
  if (found.empty()) return std::nullopt;
  const Row row = found[0];
  StoredResult result;
  result.data = row.text("data");
  result.note = row.text("note");
  result.age = row.milliseconds("age_ms");
  result.time_left = row.milliseconds("left_ms");
  result.origin.job = LedgerJobId(row.big("job"));
  result.origin.position = position_of(row);
  return result;
}

Result<StoreAnswer> find_or_take_off(Transaction& transaction, const CacheQuestion& question,
                                     CacheOwner owner, Milliseconds lease) {
  if (auto found = find(transaction, question)) return StoreAnswer(std::move(*found));
  if (transaction.run(kTakeOff, question.key, owner, lease.count()).empty())
    return StoreAnswer(FlightElsewhere{});
  // Its maker may have stored it, and ended its lease, between these two statements.
  auto found = find(transaction, question);
  if (!found) return StoreAnswer(FlightTaken{});
  transaction.run(kLand, array_of({question.key}), owner);
  return StoreAnswer(std::move(*found));
}

Result<CacheCleaning> clean_up(Transaction& transaction, const CacheBounds& bounds) {
  CacheCleaning cleaning;
  if (!transaction.run(kOneAtATime).first().flag("locked")) return cleaning;
  cleaning.expired = transaction.run(kRemoveExpired, bounds.batch_rows_max).affected();
  transaction.run(kRemoveFlights);
  const Row size = transaction.run(kMeasure).first();
  const bool full =
      size.big("entries") > bounds.entries_max || size.big("bytes") > bounds.bytes_max;
  if (full)
    cleaning.unused =
        transaction.run(kRemoveUnused, bounds.entries_max * 8 / 10, bounds.bytes_max / 10 * 8)
            .affected();
  cleaning.more = cleaning.expired >= bounds.batch_rows_max;
  return cleaning;
}

}  // namespace

void PgCacheStore::ask(CacheQuestion question, CacheOwner owner, Milliseconds lease,
                       Completion<StoreAnswer> done) {
  answer_from(sessions_, executor_, std::move(done),
              [question = std::move(question), owner, lease](Transaction& transaction) {
                return find_or_take_off(transaction, question, owner, lease);
              });
}

void PgCacheStore::keep(CacheQuestion question, CacheOwner owner, ResultToStore result,
                        Completion<void> done) {
  answer_from(sessions_, executor_, std::move(done),
              [q = std::move(question), owner,
               result = std::move(result)](Transaction& transaction) -> Result<void> {
                const Position& call = q.origin.position;
                transaction.run(kKeep, q.key, q.tenant, q.tool, q.tool_version, q.caller,
                                q.data_source, result.data, q.origin.job.value, call.round,
                                call.step, call.index, q.time_to_live.count(), result.note);
                transaction.run(kLand, array_of({q.key}), owner);
                return {};
              });
}

void PgCacheStore::give_up(std::vector<std::string> keys, CacheOwner owner, Completion<void> done) {
  answer_from(sessions_, executor_, std::move(done),
              [keys = array_of(keys), owner](Transaction& transaction) -> Result<void> {
                transaction.run(kLand, keys, owner);
                return {};
              });
}

void PgCacheStore::renew(std::vector<std::string> keys, CacheOwner owner, Milliseconds lease,
                         Completion<void> done) {
  answer_from(sessions_, executor_, std::move(done),
              [keys = array_of(keys), owner, lease](Transaction& transaction) -> Result<void> {
                transaction.run(kRenew, keys, owner, lease.count());
                return {};
              });
}

void PgCacheStore::count_hits(std::vector<std::pair<std::string, std::int64_t>> hits,
                              Completion<void> done) {
  RowArrays<PgType::Text, PgType::Bigint> rows;
  for (const auto& [key, count] : hits) rows.add(key, count);
  answer_from(sessions_, executor_, std::move(done),
              [rows = std::move(rows)](Transaction& transaction) -> Result<void> {
                rows.write(transaction, kCountHits);
                return {};
              });
}

void PgCacheStore::clean(CacheBounds bounds, Completion<CacheCleaning> done) {
  answer_from(sessions_, executor_, std::move(done),
              [bounds](Transaction& transaction) { return clean_up(transaction, bounds); });
}

}  // namespace ba::storage
