// SPDX-License-Identifier: Apache-2.0
// Rows that this program can't read, as a newer one or a person's hand may have left them.
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

using testing::HasSubstr;

class LoadRows : public StorageTest {
 protected:
  /// A job of a message, a reply and the result of its call, which the tests then change.
  ClaimedJob job_with_a_call() {
    const auto self = enter();
    const auto job = running_job(self);
    EXPECT_TRUE(append(self, round_opened(job)));
    EXPECT_TRUE(append(self, step_replied(job)));
    EXPECT_TRUE(append(self, call_finished(job)));
    EXPECT_TRUE(load(job));
    return job;
  }

  void write_over(const std::string& table, const std::string& message) {
    schema().execute("UPDATE " + table + " SET message = '" + message + "'");
  }
};

TEST_F(LoadRows, AMessageThatCanNotBeReadIsToldWithItsPlace) {
  const auto job = job_with_a_call();
  // What is written over next stands before it, and the first that can't be read is told.
  for (const auto& [table, place] :
       {std::pair{"tool_calls", "/0/1.1: "}, std::pair{"steps", "/0/1.0: "},
        std::pair{"rounds", "/0/0.0: "}}) {
    write_over(table, R"({"type":"human"})");
    const auto loaded = load(job);
    ASSERT_FALSE(loaded) << table;
    EXPECT_EQ(loaded.error().code, ErrorCode::Corrupt) << table;
    EXPECT_THAT(loaded.error().message,
                HasSubstr("message " + std::to_string(job.id.value) + place));
    EXPECT_THAT(loaded.error().message, HasSubstr("data must not be missing"));
  }
}

TEST_F(LoadRows, AMessageOfANewerMajorVersionIsToldWithBothVersions) {
  const auto job = job_with_a_call();
  write_over("rounds", R"({"type":"human","data":{"content":"x","additional_kwargs":)"
                       R"({"ba":{"schema_version":"3.0"}}}})");
  const auto loaded = load(job);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::Corrupt);
  EXPECT_THAT(loaded.error().message,
              HasSubstr("message " + std::to_string(job.id.value) + "/0/0.0: "));
  EXPECT_THAT(loaded.error().message,
              HasSubstr("schema_version \"3.0\" is newer than this program reads (2.1)"));
}

TEST_F(LoadRows, TelemetryOfANewerMajorVersionIsToldWithBothVersions) {
  const auto job = job_with_a_call();
  const auto write = [this](const std::string& telemetry) {
    schema().execute("UPDATE tool_calls SET telemetry = '" + telemetry + "'");
  };
  for (const char* readable :
       {R"({"total_tokens":7})", R"({"schema_version":"1.0","total_tokens":7})",
        R"({"schema_version":"1.9","total_tokens":7,"more":1})"}) {
    write(readable);
    const auto loaded = load(job);
    ASSERT_TRUE(loaded) << readable << ": " << loaded.error().message;
    EXPECT_EQ(loaded->calls.at(0).tokens, 7) << readable;
  }
  write(R"({"schema_version":"2.0","total_tokens":{"text":7}})");
  const auto loaded = load(job);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::Corrupt);
  EXPECT_THAT(loaded.error().message,
              HasSubstr("telemetry of call 0/1.1: schema_version \"2.0\" is newer than this "
                        "program reads (1.0)"));
}

}  // namespace
}  // namespace ba::storage
