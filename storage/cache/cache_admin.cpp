// SPDX-License-Identifier: Apache-2.0
#include "storage/cache_admin.hpp"

#include "storage/postgres/session.hpp"

namespace ba {
namespace {

const std::string kFilter =
    " WHERE starts_with(key, $1) AND ($2 = '' OR tenant = $2) AND ($3 = '' OR tool = $3)"
    " AND ($4 = '' OR data_source = $4) AND (NOT $5::boolean OR expires_at <= now())";

// The sum of counts may be larger than the largest count.
const std::string kStatisticsSql =
    "SELECT tenant, tool, count(*), count(*) FILTER (WHERE expires_at <= now()),"
    " least(sum(data_bytes), 9223372036854775807)::bigint,"
    " least(sum(hits), 9223372036854775807)::bigint FROM tool_results" +
    kFilter + " GROUP BY tenant, tool ORDER BY tenant, tool";
const Statement kStatistics{"cache_statistics", kStatisticsSql.c_str()};

const std::string kEntriesSql =
    R"(SELECT key, tenant, tool, tool_version, caller, data_source, data_bytes, hits,
              concat_ws('/', job, round, step, idx),
              to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
              to_char(expires_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
              CASE WHEN $6::integer = 1 THEN data ELSE '' END,
              CASE WHEN $6::integer = 1 THEN note ELSE '' END FROM tool_results)" +
    kFilter + " ORDER BY created_at DESC, key LIMIT $6::integer";
const Statement kEntries{"cache_entries", kEntriesSql.c_str()};

const std::string kPurgeSql = "DELETE FROM tool_results" + kFilter;
const Statement kPurge{"cache_purge", kPurgeSql.c_str()};

CachedEntry entry_of(const pqxx::row& row) {
  CachedEntry entry;
  std::string* texts[]{&entry.key,          &entry.tenant, &entry.tool,
                       &entry.tool_version, &entry.caller, &entry.data_source};
  for (int i = 0; i < 6; ++i) *texts[i] = row[i].as<std::string>();
  entry.bytes = row[6].as<std::int64_t>();
  entry.hits = row[7].as<std::int64_t>();
  entry.origin = row[8].as<std::string>();
  entry.created_at = row[9].as<std::string>();
  entry.expires_at = row[10].as<std::string>();
  entry.data = row[11].as<std::string>();
  entry.note = row[12].as<std::string>();
  return entry;
}

}  // namespace

Result<std::vector<CacheToolStatistics>> cache_statistics(const PgAccess& access,
                                                          const CacheFilter& filter) {
  using Answer = Result<std::vector<CacheToolStatistics>>;
  return read_once(access, [&](Transaction& transaction) -> Answer {
    std::vector<CacheToolStatistics> all;
    for (const auto& row : transaction.run(kStatistics, filter.key, filter.tenant, filter.tool,
                                           filter.data_source, filter.expired_only))
      all.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<std::int64_t>(),
                     row[3].as<std::int64_t>(), row[4].as<std::int64_t>(),
                     row[5].as<std::int64_t>()});
    return all;
  });
}

Result<std::vector<CachedEntry>> cached_entries(const PgAccess& access, const CacheFilter& filter,
                                                int rows_max) {
  using Answer = Result<std::vector<CachedEntry>>;
  return read_once(access, [&](Transaction& transaction) -> Answer {
    std::vector<CachedEntry> all;
    for (const auto& row : transaction.run(kEntries, filter.key, filter.tenant, filter.tool,
                                           filter.data_source, filter.expired_only, rows_max))
      all.push_back(entry_of(row));
    return all;
  });
}

Result<std::int64_t> purge_cache(const PgAccess& access, const CacheFilter& filter) {
  const Stop stop;
  Session session({.access = access}, stop);
  return session.run([&](Transaction& transaction) -> Result<std::int64_t> {
    return static_cast<std::int64_t>(transaction
                                         .run(kPurge, filter.key, filter.tenant, filter.tool,
                                              filter.data_source, filter.expired_only)
                                         .affected_rows());
  });
}

}  // namespace ba
