#pragma once
// SPDX-License-Identifier: Apache-2.0
// The result cache as people see it: what is in it, and taking things out. Blocking; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "storage/access.hpp"

namespace ba::storage {

/// Which results; an empty field is any.
struct CacheFilter {
  std::string key;  ///< or its beginning
  std::string tenant;
  std::string tool;
  std::string data_source;
  bool expired_only = false;

  bool any() const {
    return key.empty() && tenant.empty() && tool.empty() && data_source.empty() && !expired_only;
  }
};

struct CacheToolStatistics {
  std::string tenant;
  std::string tool;
  std::int64_t entries = 0;
  std::int64_t expired = 0;  ///< of these
  std::int64_t bytes = 0;
  std::int64_t hits = 0;
};

struct CachedEntry {
  std::string key;
  std::string tenant;
  std::string tool;
  std::string tool_version;
  std::string caller;
  std::string data_source;
  std::int64_t bytes = 0;
  std::int64_t hits = 0;
  std::string origin;  ///< "job/round/step/index" by the ledger's numbers
  std::string created_at;
  std::string expires_at;
  std::string data;  ///< only where one entry was asked for
  std::string note;  ///< likewise
};

Result<std::vector<CacheToolStatistics>> cache_statistics(const PgAccess& access,
                                                          const CacheFilter& filter);

/// The newest first, without their data unless there is only one.
Result<std::vector<CachedEntry>> cached_entries(const PgAccess& access, const CacheFilter& filter,
                                                int rows_max);

/// How many were taken out. Workers that hold one in memory give it for some seconds more.
Result<std::int64_t> purge_cache(const PgAccess& access, const CacheFilter& filter);

}  // namespace ba::storage
