#pragma once
// SPDX-License-Identifier: Apache-2.0
// Configuration of the built-in tools (section `tools` of the configuration file), already parsed.
// Every default stands here. Values.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/bounds.hpp"
#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/gate_limits.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/sql/connection/source_tenancy.hpp"

namespace ba {

/// What the numbers below may be, as the configuration's reader asks.
namespace tool_bounds {
inline constexpr Bounds kRowLimit{1, 100'000};
inline constexpr Bounds kResultBytesMax{1024, 64LL << 20};
inline constexpr Bounds kStatementTimeoutMs{1, 3'600'000};
inline constexpr Bounds kConnectTimeoutMs{1, 60'000};
inline constexpr Bounds kPoolSize{1, 64};
inline constexpr Bounds kFileBytesMax{1, 1LL << 30};
inline constexpr Bounds kWrittenFileBytesMax{1, 64LL << 20};
inline constexpr Bounds kThreads{1, 64};
inline constexpr Bounds kTimeoutMs{1, 3'600'000};
inline constexpr Bounds kWriteRowLimit{1, 1'000'000};
inline constexpr Bounds kWriteResultBytesMax{1024, 1024 * 1024};
inline constexpr Bounds kKeepDays{1, 3650};
inline constexpr Bounds kCommandMemoryBytesMax{16LL << 20, 1LL << 40};
inline constexpr Bounds kCommandProcessesMax{2, 4096};
inline constexpr Bounds kCommandCpuSecondsMax{1, 3600};
inline constexpr Bounds kCommandDiskBytesMax{64LL << 10, 16LL << 30};
inline constexpr Bounds kCommandOpenFilesMax{16, 65536};
inline constexpr Bounds kCommandFilesMax{16, 10'000'000};
inline constexpr Bounds kCommandWaitMsMax{100, 3'600'000};
inline constexpr Bounds kCommandOutputBytesMax{1024, 64LL << 20};
}  // namespace tool_bounds

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

/// One directory that `file_reader` may read below, under `tools.files.roots[]`.
struct FileRootConfig {
  std::string name;         ///< [a-z][a-z0-9_]{0,62}; first part of a path when there are several
  std::string path;         ///< absolute; never shown to a model
  std::string description;  ///< for the model: what is in it

  friend bool operator==(const FileRootConfig&, const FileRootConfig&) = default;
};

/// Under `tools.files`.
struct FilesConfig {
  std::vector<FileRootConfig> roots;
  bool artifacts = false;  ///< read too; without them and roots there is no `file_reader`
  std::int64_t file_bytes_max = 64 * 1024 * 1024;  ///< a larger file is refused
  int row_limit = 100'000;                         ///< rows, items or lines of one result
  std::int64_t result_bytes_max = 64 * 1024 * 1024;
  int threads = 2;

  friend bool operator==(const FilesConfig&, const FilesConfig&) = default;
};

/// Under `tools.execute_command`: what a sandboxed command may take.
struct CommandConfig {
  bool enabled = false;    ///< false: there is no `execute_command`
  bool artifacts = false;  ///< a command may be given one as a file
  PermissionLevel permission = PermissionLevel::Admin;
  std::string bubblewrap = "/usr/bin/bwrap";
  std::int64_t memory_bytes_max = 512LL << 20;  ///< address space of each process, and all together
  int processes_max = 64;                       ///< and threads, at a time
  int cpu_seconds_max = 60;                     ///< of each process
  std::int64_t disk_bytes_max = 64LL << 20;     ///< of /tmp, and of the work directory
  std::int64_t files_max = 10'000;              ///< and directories, in both together
  int open_files_max = 256;                     ///< of each process
  std::int64_t output_bytes_max = 256 * 1024;   ///< of standard output, and of standard error
  int threads = 2;                              ///< commands at a time
  Milliseconds wait_max{10'000};                ///< for one of them

  friend bool operator==(const CommandConfig&, const CommandConfig&) = default;
};

/// Under `tools.file_write`.
struct FileWriteConfig {
  std::vector<FileRootConfig> roots;  ///< none: there is no `file_write`
  bool artifacts = false;             ///< the data of one may be written, too
  PermissionLevel permission = PermissionLevel::Admin;
  std::int64_t file_bytes_max = 1024 * 1024;
  bool csv_formulas = false;  ///< of an artifact's texts: stay what a spreadsheet would compute
  int keep_days = 30;         ///< keys of calls; one that is repeated later would write again
  int threads = 2;

  friend bool operator==(const FileWriteConfig&, const FileWriteConfig&) = default;
};

/// What can be set for any tool, under `tools.settings.<tool name>`.
struct ToolSettings {
  bool enabled = true;
  std::optional<OutputLevel> default_level;
  std::optional<DataEncoding> encoding;  ///< of its results; default: `tools.encoding`
  std::optional<Milliseconds> timeout;   ///< of the first try; default: the tool's own
  bool retry_on_timeout = true;          ///< false: a try that took too long was the last
  std::optional<CachePolicy> cache_policy;
  std::optional<CacheScope> cache_scope;
  GateLimits gate;  ///< of this worker

  friend bool operator==(const ToolSettings&, const ToolSettings&) = default;
};

struct ToolsConfig {
  std::vector<DataSourceConfig> data_sources;    ///< none: there is no `query_database`
  std::vector<WriteSourceConfig> write_sources;  ///< none: there is no `database_write`
  FilesConfig files;
  FileWriteConfig file_write;
  CommandConfig command;
  std::map<std::string, ToolSettings> settings;  ///< by tool name

  friend bool operator==(const ToolsConfig&, const ToolsConfig&) = default;
};

/// What no field alone can tell: names, paths, what belongs together. Looks at the values alone:
/// neither a database nor the file system is asked.
std::vector<SettingProblem> validate(const ToolsConfig& config);

}  // namespace ba
