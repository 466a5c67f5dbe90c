#pragma once
// SPDX-License-Identifier: Apache-2.0
// What can be configured of the tools over SQL, already parsed. Every default stands here. Values.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "worker/tools/sql/connection/source_tenancy.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::sql {

inline constexpr Bounds kRowLimit{1, 100'000};  // rows of one result

/// One PostgreSQL database that `query_database` may read, under `tools.data_sources[]`.
struct DataSourceConfig {
  std::string name;         ///< [a-z][a-z0-9_]{0,62}; what the model and the logs call it
  std::string url;          ///< SECRET: libpq URL or connection string of a read-only login role
  std::string description;  ///< for the model: what is in it
  /// For the model: tables and columns as text. Empty: read from the catalog at start.
  std::string tables;
  int row_limit = 100'000;                           ///< rows of one result
  std::int64_t result_bytes_max = 64 * 1024 * 1024;  ///< bytes of JSON of one result
  Milliseconds statement_timeout{30000};  ///< of one statement, enforced by the server too
  Milliseconds connect_timeout{5000};
  int pool_size = 2;  ///< connections, each with a thread of its own, opened when first needed
  int calls_per_minute = 0;  ///< of this worker; 0: any number
  /// Functions of the database's users, as schema.name, that a statement may call although nobody
  /// can see through them, or although they are volatile: who lists one vouches for it.
  std::set<std::string> functions;
  SourceTenancy tenancy;

  friend bool operator==(const DataSourceConfig&, const DataSourceConfig&) = default;
};

enum class WriteStatement { Insert, Update, Delete };
std::string_view to_string(WriteStatement statement);  ///< "INSERT", …

/// What `database_write` may do at one data source.
struct WriteRules {
  std::vector<std::string> tables;  ///< "orders" (of schema public) or "sales.orders"
  std::set<WriteStatement> statements{WriteStatement::Insert, WriteStatement::Update,
                                      WriteStatement::Delete};

  friend bool operator==(const WriteRules&, const WriteRules&) = default;
};

/// One PostgreSQL database that `database_write` may change, under
/// `tools.database_write.data_sources[]`. It must have the table of effects_table.sql.
struct WriteSourceConfig {
  std::string name;         ///< [a-z][a-z0-9_]{0,62}
  std::string url;          ///< SECRET: of a login role with just the rights that the rules need
  std::string description;  ///< for the model: what is in it, which columns the tables have
  WriteRules rules;
  int row_limit = 100;                        ///< rows that one statement may change
  std::int64_t result_bytes_max = 64 * 1024;  ///< of RETURNING; kept with the idempotency key
  Milliseconds statement_timeout{30000};
  Milliseconds lock_timeout{5000};  ///< of the wait for a row, or for another run of the same call
  Milliseconds connect_timeout{5000};
  int pool_size = 2;
  int calls_per_minute = 0;  ///< of this worker; 0: any number
  int keep_days = 30;        ///< idempotency keys; a call that is repeated later would write again
  /// Functions that a statement may call, also by triggers; as those of a DataSourceConfig.
  std::set<std::string> functions;
  std::vector<std::string> also_changes;  ///< tables that cascades of foreign keys may change
  SourceTenancy tenancy;

  friend bool operator==(const WriteSourceConfig&, const WriteSourceConfig&) = default;
};

struct SqlConfig {
  std::vector<DataSourceConfig> data_sources;    ///< none: there is no `query_database`
  std::vector<WriteSourceConfig> write_sources;  ///< none: there is no `database_write`

  friend bool operator==(const SqlConfig&, const SqlConfig&) = default;
};

/// `tools.data_sources` and `tools.database_write`. `tools`: the section around them.
void read_sql(settings::SectionReader& tools, SqlConfig& sql);

/// What no field alone can tell. Looks at the values alone: no database is asked.
std::vector<SettingProblem> validate(const SqlConfig& config);

}  // namespace ba::sql
