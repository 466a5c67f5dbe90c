#pragma once
// SPDX-License-Identifier: Apache-2.0
// The schema's history. Migrations are SQL files built into the program, applied in order of their
// number under an advisory lock, one transaction each, and recorded with their checksum. A file
// that was changed after it was applied, or a schema newer than the program, is refused. Blocking;
// any thread.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "storage/access.hpp"

namespace ba::storage {

struct Migration {
  int version = 0;        ///< from 1, without gaps
  std::string_view name;  ///< "incarnations_and_jobs"
  std::string_view checksum;
  std::string_view sql;
};

/// What is built in, in order of version.
const std::vector<Migration>& builtin_migrations();

struct AppliedMigration {
  int version = 0;
  std::string name;
  Milliseconds duration{0};
};

struct MigrationReport {
  int version_before = 0;
  int version_after = 0;
  std::vector<AppliedMigration> applied;  ///< with dry_run: what would be applied
};

struct SchemaStatus {
  int version = 0;   ///< of the database; 0: no schema yet
  int expected = 0;  ///< of this program
  std::string last_migration;
  std::string last_applied_at;  ///< RFC 3339
  std::string problem;          ///< checksum drift, or newer than the program; else empty

  bool usable() const { return problem.empty() && version == expected; }
};

/// Safe to repeat and to run at the same time from several places. Conflict: drift or newer schema.
Result<MigrationReport> migrate(const PgAccess& access, bool dry_run);

Result<SchemaStatus> schema_status(const PgAccess& access);

/// Conflict, with the remedy, where the schema isn't the one this program was built with.
Result<void> require_schema(const PgAccess& access);

}  // namespace ba::storage
