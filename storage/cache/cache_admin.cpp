// SPDX-License-Identifier: Apache-2.0
#include "storage/cache_admin.hpp"

#include "storage/postgres/session.hpp"

namespace ba::storage {
namespace {

const std::string kFilter =
    " WHERE starts_with(key, $1) AND ($2 = '' OR tenant = $2) AND ($3 = '' OR tool = $3)"
    " AND ($4 = '' OR data_source = $4) AND (NOT $5::boolean OR expires_at <= now())";

// The sum of counts may be larger than the largest count.
const std::string kStatisticsSql =
    "SELECT tenant, tool, count(*) AS entries,"
    " count(*) FILTER (WHERE expires_at <= now()) AS expired,"
    " least(sum(data_bytes), 9223372036854775807)::bigint AS bytes,"
    " least(sum(hits), 9223372036854775807)::bigint AS hits FROM tool_results" +
    kFilter + " GROUP BY tenant, tool ORDER BY tenant, tool";
const Statement kStatistics{"cache_statistics", kStatisticsSql.c_str()};

const std::string kEntriesSql =
    R"(SELECT key, tenant, tool, tool_version, caller, data_source, data_bytes, hits,
              concat_ws('/', job, round, step, idx) AS origin,
              to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created,
              to_char(expires_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS expires,
              CASE WHEN $6::integer = 1 THEN data ELSE '' END AS data,
              CASE WHEN $6::integer = 1 THEN note ELSE '' END AS note FROM tool_results)" +
    kFilter + " ORDER BY created_at DESC, key LIMIT $6::integer";
const Statement kEntries{"cache_entries", kEntriesSql.c_str()};

const std::string kPurgeSql = "DELETE FROM tool_results" + kFilter;
const Statement kPurge{"cache_purge", kPurgeSql.c_str()};

CacheToolStatistics statistics_of(const Row& row) {
  return {row.text("tenant"), row.text("tool"), row.big("entries"),
          row.big("expired"), row.big("bytes"), row.big("hits")};
}

CachedEntry entry_of(const Row& row) {
  CachedEntry entry;
  entry.key = row.text("key");
  entry.tenant = row.text("tenant");
  entry.tool = row.text("tool");
  entry.tool_version = row.text("tool_version");
  entry.caller = row.text("caller");
  entry.data_source = row.text("data_source");
  entry.bytes = row.big("data_bytes");
  entry.hits = row.big("hits");
  entry.origin = row.text("origin");
  entry.created_at = row.text("created");
  entry.expires_at = row.text("expires");
  entry.data = row.text("data");
  entry.note = row.text("note");
  return entry;
}

}  // namespace

Result<std::vector<CacheToolStatistics>> cache_statistics(const PgAccess& access,
                                                          const CacheFilter& filter) {
  using Answer = Result<std::vector<CacheToolStatistics>>;
  return read_once(access, [&](Transaction& transaction) -> Answer {
    return read_all(transaction.run(kStatistics, filter.key, filter.tenant, filter.tool,
                                    filter.data_source, filter.expired_only),
                    statistics_of);
  });
}

Result<std::vector<CachedEntry>> cached_entries(const PgAccess& access, const CacheFilter& filter,
                                                int rows_max) {
  using Answer = Result<std::vector<CachedEntry>>;
  return read_once(access, [&](Transaction& transaction) -> Answer {
    return read_all(transaction.run(kEntries, filter.key, filter.tenant, filter.tool,
                                    filter.data_source, filter.expired_only, rows_max),
                    entry_of);
  });
}

Result<std::int64_t> purge_cache(const PgAccess& access, const CacheFilter& filter) {
  const Stop stop;
  Session session({.access = access}, stop);
  return session.run([&](Transaction& transaction) -> Result<std::int64_t> {
    return transaction
        .run(kPurge, filter.key, filter.tenant, filter.tool, filter.data_source,
             filter.expired_only)
        .affected();
  });
}

}  // namespace ba::storage
