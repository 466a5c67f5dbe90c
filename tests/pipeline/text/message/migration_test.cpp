// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/migration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/validate.hpp"

namespace ba {
namespace {

using testing::HasSubstr;

constexpr const char* kArtifact = "artifact_0123456789abcdef0123456789abcdef";

std::string migrated(const std::string& json, std::string_view from, std::string_view to) {
  RawObject record(JsonView::of_proven(json));
  const auto done = migrate(record, result_steps(), from, to);
  return done ? record.json() : done.error().message;
}

std::string with_version(const std::string& type, const std::string& version,
                         const std::string& members) {
  return R"({"type":")" + type + R"(","data":{"additional_kwargs":{"ba":{"schema_version":")" +
         version + R"("}},)" + members + "}}";
}

TEST(Migration, TakesEachStepToTheNextVersion) {
  EXPECT_EQ(migrated(R"({"observation":"o","result":[1.0],"summary":"s","output_level":"raw"})",
                     "1.0", "1.4"),
            R"({"observation":"o","artifact":[1.0],"data_summary":"s","output_level":"full"})");
  EXPECT_EQ(migrated("{}", "1.4", "1.5"), R"({"output_level":"standard"})");
  EXPECT_EQ(migrated(R"({"output_level":"brief"})", "1.4", "1.5"), R"({"output_level":"brief"})");
  EXPECT_EQ(migrated(R"({"a":1})", "1.5", "1.9"), R"({"a":1})");
  EXPECT_EQ(
      migrated(R"({"request_id":"c","data_file":"/data/)" + std::string(kArtifact) + R"(.json"})",
               "1.9", "2.0"),
      R"({"tool_call_id":"c","artifact_id":")" + std::string(kArtifact) + R"("})");
  EXPECT_EQ(migrated(R"({"a":1})", "2.0", "2.1"), R"({"a":1})");
}

TEST(Migration, NamesEachLevelOfTheFirstVersionAnew) {
  const std::pair<const char*, const char*> kLevels[] = {
      {"concise", "brief"}, {"standard", "standard"}, {"detailed", "full"}, {"raw", "full"}};
  for (const auto& [before, after] : kLevels)
    EXPECT_EQ(migrated(R"({"output_level":")" + std::string(before) + R"("})", "1.0", "1.4"),
              R"({"output_level":")" + std::string(after) + R"("})");
}

TEST(Migration, LeavesNoPath) {
  for (const char* path : {"/etc/passwd", "../x", "artifact_short", ""}) {
    const std::string json =
        migrated(R"({"request_id":"c","data_file":")" + std::string(path) + R"("})", "1.9", "2.1");
    EXPECT_EQ(json, R"({"tool_call_id":"c"})") << path;
  }
}

TEST(Migration, GoesAllTheWayFromEachVersion) {
  for (const char* from : {"1.0", "1.4", "1.5", "1.6", "1.9", "2.0", "2.1"})
    EXPECT_THAT(migrated(R"({"tool_call_id":"c"})", from, "2.1"), HasSubstr("\"c\"")) << from;
}

TEST(Migration, SaysWhichStepDoesNotExist) {
  EXPECT_EQ(migrated("{}", "1.7", "2.1"), "Cannot migrate from 1.7 to 2.1");
  EXPECT_EQ(migrated("{}", "2.1", "1.9"), "Cannot migrate from 2.1 to 1.9");
  EXPECT_EQ(migrated("{}", "1.4", "3.0"), "Cannot migrate from 1.4 to 3.0");
}

TEST(Migration, ReadsMessagesOfEveryOlderVersion) {
  for (const char* version : {"1.0", "1.4", "1.5", "1.6", "1.9", "2.0", "2.1"}) {
    const std::string said = R"("content":"hello","id":"m1")";
    for (const char* type : {"system", "human", "ai"}) {
      const auto message = message_from_json(with_version(type, version, said));
      ASSERT_TRUE(message) << version << ": " << message.error().message;
      EXPECT_EQ(meta_of(*message).schema_version, "2.1");
      EXPECT_TRUE(validate_message(*message));
    }
  }
}

TEST(Migration, ReadsAResultOfTheFirstVersion) {
  const auto message = message_from_json(with_version(
      "tool", "1.0",
      R"("observation":"Found 3 items","request_id":"call_1","id":"m2","status":"success",)"
      R"("result":[1,2,3],"summary":"List with 3 items","output_level":"concise")"));
  ASSERT_TRUE(message) << message.error().message;
  const auto& result = std::get<ToolMessage>(*message);
  EXPECT_EQ(result.content, "Found 3 items");
  EXPECT_EQ(result.tool_call_id.value, "call_1");
  EXPECT_EQ(result.meta.schema_version, "2.1");
}

TEST(Migration, KeepsArgumentsOfOlderMessagesByteForByte) {
  const auto message = message_from_json(with_version(
      "ai", "1.9",
      R"("content":"","tool_calls":[{"id":"c","name":"t","args":{"n": 1.0,  "m":1e5}}])"));
  ASSERT_TRUE(message);
  EXPECT_EQ(std::get<AiMessage>(*message).tool_calls[0].args_json, R"({"n": 1.0,  "m":1e5})");
}

TEST(Migration, NewerMinorVersionsAreReadAsTheyAre) {
  const auto message = message_from_json(with_version("human", "2.7", R"("content":"x")"));
  ASSERT_TRUE(message);
  EXPECT_EQ(meta_of(*message).schema_version, "2.7");
}

TEST(Migration, KnowsWhatIsOlder) {
  EXPECT_TRUE(is_older_version("1.9").value());
  EXPECT_TRUE(is_older_version("2.0").value());
  EXPECT_FALSE(is_older_version("2.1").value());
  EXPECT_FALSE(is_older_version("2.10").value());
  EXPECT_FALSE(is_older_version("3.0"));
}

}  // namespace
}  // namespace ba
