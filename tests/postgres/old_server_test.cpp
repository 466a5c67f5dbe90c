// SPDX-License-Identifier: Apache-2.0
// On a server of a version before the oldest that will do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/ledger_use.hpp"
#include "storage/migrate.hpp"
#include "storage/query.hpp"
#include "tests/postgres/server_lab.hpp"
#include "tests/support/loop_executor.hpp"

namespace ba {
namespace {

TEST(OldServer, IsRefusedWithOneLineByWhoeverComes) {
  const ServerLab lab;
  const auto access = lab.access("postgres");
  const auto wanted = testing::HasSubstr(
      ", the ledger needs PostgreSQL 15 or newer: upgrade the server, or correct postgres.url");
  LoopExecutor executor;
  storage::PgOptions options;
  options.access = access;
  EXPECT_THAT(migrate(access, false).error().message, wanted);
  EXPECT_THAT(storage::schema_status(access).error().message, wanted);
  EXPECT_THAT(storage::ledger_hindrances(access).error().message, wanted);
  EXPECT_THAT(storage::list_jobs(access, {}).error().message, wanted);
  const auto opened = storage::open_storage(options, executor);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, wanted);
  EXPECT_EQ(opened.error().retry, Retry::Never) << "no worker waits for that";
}

}  // namespace
}  // namespace ba
