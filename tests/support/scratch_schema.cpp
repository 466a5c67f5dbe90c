// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scratch_schema.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "storage/migrate.hpp"

namespace ba {
namespace {

template <typename T>
T require(const Result<T>& result, const std::string& what) {
  if (!result) throw std::runtime_error(what + ": " + result.error().message);
  return *result;
}

// Deleting is much quicker than truncating as long as the tables are small.
constexpr const char* kEmptyTables = R"sql(
  DO $$ DECLARE name text; BEGIN
    DELETE FROM jobs;  -- before the conversations it refers to
    DELETE FROM skill_uses;  -- before the contents
    FOR name IN SELECT tablename FROM pg_tables
                WHERE schemaname = current_schema() AND tablename NOT IN ('schema_history', 'installation')
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  END $$)sql";

/// Whether no test has tampered with the history of migrations.
constexpr const char* kUnchanged =
    "SELECT count(*) FILTER (WHERE length(checksum) <> 64) = 0 FROM schema_history";

}  // namespace

/// The migrated schema that no test uses at the moment. Dropped at exit, by a handler that is
/// registered after the first connection was made: those run in reverse order, and TLS must still
/// be there.
class ScratchSchema::Kept {
 public:
  std::string take() { return std::exchange(schema_, {}); }

  void put(const std::string& schema) {
    static const int registered = std::atexit([] { kept().drop(); });
    if (registered != 0) throw std::runtime_error("no exit handler could be registered");
    schema_ = schema;
  }

  void drop() {
    if (schema_.empty()) return;
    ScratchSchema last(Fill::Empty);
    last.access_.schema = schema_;  // dropped with it
  }

 private:
  std::string schema_;
};

ScratchSchema::Kept& ScratchSchema::kept() {
  static Kept* const kept = new Kept;  // outlives every static object
  return *kept;
}

ScratchSchema::ScratchSchema(Fill fill) : fill_(fill) {
  static std::atomic<int> number{0};
  const char* url = std::getenv("BA_POSTGRES_URL");
  if (!url) throw std::runtime_error("BA_POSTGRES_URL is not set; see `ops/stack env`");
  access_.url = url;
  const std::string used = fill == Fill::Migrated ? kept().take() : std::string();
  access_.schema =
      !used.empty() ? used : "test_" + std::to_string(getpid()) + "_" + std::to_string(++number);
  access_.application_name = access_.schema;  // so that its connections can be told from others'
  storage::SessionOptions options;
  options.access = access_;
  session_ = std::make_unique<storage::Session>(options, stop_);
  if (!used.empty())
    execute(kEmptyTables);
  else if (fill == Fill::Migrated)
    require(migrate(access_, false), "migrate");
}

ScratchSchema::~ScratchSchema() {
  if (fill_ == Fill::Migrated && query(kUnchanged) == "t")
    kept().put(access_.schema);
  else
    drop();
}

void ScratchSchema::drop() {
  (void)session_->run([this](storage::Transaction& transaction) -> Result<int> {
    transaction.execute("DROP SCHEMA IF EXISTS " + access_.schema + " CASCADE");
    return 0;
  });
}

void ScratchSchema::execute(const std::string& sql) {
  require(session_->run([&](storage::Transaction& transaction) -> Result<int> {
    transaction.execute(sql);
    return 0;
  }),
          sql);
}

std::string ScratchSchema::query(const std::string& sql) {
  return require(session_->run([&](storage::Transaction& transaction) -> Result<std::string> {
    return transaction.execute(sql).value();
  }),
                 sql);
}

}  // namespace ba
