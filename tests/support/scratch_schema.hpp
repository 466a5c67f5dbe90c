#pragma once
// SPDX-License-Identifier: Apache-2.0
// A schema of its own in the test database (BA_POSTGRES_URL). A migrated one is emptied and used
// again by the next test of the program, because creating it takes longer than most tests; the
// program's end drops it. Fails loudly when there is no database. One thread.

#include "storage/postgres/session.hpp"
#include "storage/storage.hpp"

namespace ba {

class ScratchSchema {
 public:
  enum class Fill { Migrated, Empty };
  explicit ScratchSchema(Fill fill = Fill::Migrated);
  ~ScratchSchema();
  ScratchSchema(const ScratchSchema&) = delete;
  ScratchSchema& operator=(const ScratchSchema&) = delete;

  const storage::PgAccess& access() const { return access_; }
  /// Runs SQL in the schema; aborts the test program when that fails.
  void execute(const std::string& sql);
  /// The first column of the first row as text; empty for no row or null.
  std::string query(const std::string& sql);

 private:
  class Kept;
  static Kept& kept();
  void drop();

  storage::PgAccess access_;
  storage::Stop stop_;
  std::unique_ptr<storage::Session> session_;
  const Fill fill_;
};

}  // namespace ba
