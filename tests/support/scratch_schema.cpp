// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scratch_schema.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include "storage/migrate.hpp"

namespace ba {
namespace {

template <typename T>
T require(const Result<T>& result, const std::string& what) {
  if (!result) throw std::runtime_error(what + ": " + result.error().message);
  return *result;
}

}  // namespace

ScratchSchema::ScratchSchema(Fill fill) {
  static std::atomic<int> number{0};
  const char* url = std::getenv("BA_POSTGRES_URL");
  if (!url) throw std::runtime_error("BA_POSTGRES_URL is not set; see `ops/stack env`");
  access_.url = url;
  access_.schema = "test_" + std::to_string(getpid()) + "_" + std::to_string(++number);
  SessionOptions options;
  options.access = access_;
  session_ = std::make_unique<Session>(options, stop_);
  if (fill == Fill::Migrated) require(migrate(access_, false), "migrate");
}

ScratchSchema::~ScratchSchema() {
  (void)session_->run([this](Transaction& transaction) -> Result<int> {
    transaction.execute("DROP SCHEMA IF EXISTS " + access_.schema + " CASCADE");
    return 0;
  });
}

void ScratchSchema::execute(const std::string& sql) {
  require(session_->run([&](Transaction& transaction) -> Result<int> {
    transaction.execute(sql);
    return 0;
  }),
          sql);
}

std::string ScratchSchema::query(const std::string& sql) {
  return require(session_->run([&](Transaction& transaction) -> Result<std::string> {
    const auto rows = transaction.query(sql);
    return rows.empty() ? std::string() : std::string(rows[0][0].c_str());
  }),
                 sql);
}

}  // namespace ba
