// SPDX-License-Identifier: Apache-2.0
#include "storage/migrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/loop_executor.hpp"
#include "tests/support/scratch_schema.hpp"

namespace ba::storage {
namespace {

const int kLatest = static_cast<int>(builtin_migrations().size());

TEST(Migrate, VersionsAreNumberedWithoutGaps) {
  for (int i = 0; i < kLatest; ++i)
    EXPECT_EQ(builtin_migrations()[static_cast<std::size_t>(i)].version, i + 1);
}

TEST(Migrate, AppliesAllOnceAndSaysSo) {
  ScratchSchema schema(ScratchSchema::Fill::Empty);
  const auto plan = migrate(schema.access(), true);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->version_after, 0);
  EXPECT_EQ(static_cast<int>(plan->applied.size()), kLatest);
  EXPECT_EQ(schema_status(schema.access())->version, 0);

  const auto done = migrate(schema.access(), false);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->version_before, 0);
  EXPECT_EQ(done->version_after, kLatest);
  EXPECT_TRUE(schema_status(schema.access())->usable());
  EXPECT_TRUE(migrate(schema.access(), false)->applied.empty());
}

TEST(Migrate, KeepsTheCountOfCallsThatWereLostBeforeEachHadARow) {
  ScratchSchema schema;
  schema.execute(
      "INSERT INTO steps (job, round, step, stop_reason, provider, model, provider_request_id,"
      " request_hash, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,"
      " thinking_tokens, tries, wasted_calls, latency_ms, message)"
      " SELECT job, 0, step, 'end_turn', 'p', 'm', '', '', 0, 0, 0, 0, 0, 1, wasted, 0, '{}'"
      " FROM (VALUES (1, 1, 2), (1, 2, 1), (2, 1, 0)) AS lost (job, step, wasted)");
  schema.execute(std::string(builtin_migrations()[9].sql));
  EXPECT_EQ(schema.query("SELECT string_agg(job || ':' || calls, ' ') FROM wasted_model_calls"),
            "1:3");
}

TEST(Migrate, MayRunSeveralTimesAtOnce) {
  ScratchSchema schema(ScratchSchema::Fill::Empty);
  std::vector<Result<MigrationReport>> reports(4, Error{});
  std::vector<std::thread> threads;
  for (auto& report : reports)
    threads.emplace_back([&] { report = migrate(schema.access(), false); });
  for (auto& thread : threads) thread.join();
  std::size_t applied = 0;
  for (const auto& report : reports) {
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->version_after, kLatest);
    applied += report->applied.size();
  }
  EXPECT_EQ(static_cast<int>(applied), kLatest);
}

TEST(Migrate, RefusesAFileThatWasChangedAfterwards) {
  ScratchSchema schema;
  schema.execute("UPDATE schema_history SET checksum = 'other' WHERE version = 1");
  const auto report = migrate(schema.access(), false);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Conflict);
  EXPECT_THAT(report.error().message, testing::HasSubstr("migration 1"));
  EXPECT_FALSE(schema_status(schema.access())->usable());
}

TEST(Migrate, RefusesASchemaNewerThanTheProgram) {
  ScratchSchema schema;
  schema.execute(
      "INSERT INTO schema_history (version, name, checksum, duration_ms) VALUES (999, 'x', 'y', "
      "1)");
  const auto report = migrate(schema.access(), false);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, testing::HasSubstr("newer"));
}

TEST(Migrate, StorageDoesNotOpenWithoutItsSchema) {
  ScratchSchema schema(ScratchSchema::Fill::Empty);
  LoopExecutor executor;
  PgOptions options;
  options.access = schema.access();
  const auto opened = open_storage(options, executor);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, testing::HasSubstr("ba-agent migrate"));
}

}  // namespace
}  // namespace ba::storage
