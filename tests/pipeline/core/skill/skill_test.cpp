// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/skill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// As it was stored before the form had a version, and its SHA-256.
const std::string kStored =
    R"({"name":"sales","description":"About sales.","license":"","compatibility":"",)"
    R"("metadata":{},"capabilities":[],"allowed_tools":null,"model":"",)"
    R"("disable_model_invocation":false,"body":"Do it.",)"
    R"("files":[{"path":"a.md","bytes":1,"text":"1"}]})";
constexpr const char* kHash = "c21bbb25b0ee25d877651de9b1ecb3306fdd203f4a132f4602327284f367d4c6";

std::string of_version(const std::string& version) {
  return "{\"schema_version\":" + version + "," + kStored.substr(1);
}

TEST(StoredSkill, IsWrittenWithItsVersionAndKeepsItsHash) {
  const auto old = skill_from_json(kStored);
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ(old->hash, kHash);
  EXPECT_EQ(skill_json(*old), of_version(R"("1.0")"));
  Skill sealed = *old;
  seal(sealed);
  EXPECT_EQ(sealed.hash, kHash);
  EXPECT_EQ(*skill_from_json(skill_json(sealed)), sealed);
}

TEST(StoredSkill, OfANewerMinorVersionIsReadAsItIs) {
  const auto skill = skill_from_json(of_version(R"("1.3")"));
  ASSERT_TRUE(skill) << skill.error().message;
  EXPECT_EQ(skill->body, "Do it.");
  EXPECT_EQ(skill->hash, kHash);
}

TEST(StoredSkill, OfANewerMajorVersionIsRefusedWithBothVersions) {
  const auto newer = skill_from_json(of_version(R"("2.0")"));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::Corrupt);
  EXPECT_THAT(newer.error().message,
              HasSubstr("schema_version \"2.0\" is newer than this program reads (1.0)"));
  for (const char* wrong : {R"("2")", R"("")", "1", "null"}) {
    const auto skill = skill_from_json(of_version(wrong));
    ASSERT_FALSE(skill) << wrong;
    EXPECT_EQ(skill.error().code, ErrorCode::Corrupt) << wrong;
    EXPECT_THAT(skill.error().message, StartsWith("no skill as it is stored: ")) << wrong;
  }
}

}  // namespace
}  // namespace ba
