// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/artifacts/artifact_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "tests/support/temporary_directory.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {
namespace {

using testing::HasSubstr;

TEST(ArtifactPart, IsWhatTheRangeNamesBothEndsIncluded) {
  const std::string data = "0123456789";
  EXPECT_EQ(part_of(data, std::nullopt).value(), data);
  EXPECT_EQ(part_of(data, ByteRange{0, 0}).value(), "0");
  EXPECT_EQ(part_of(data, ByteRange{2, 4}).value(), "234");
  EXPECT_EQ(part_of(data, ByteRange{8, std::nullopt}).value(), "89");
  EXPECT_EQ(part_of(data, ByteRange{8, 1'000'000}).value(), "89");
}

TEST(ArtifactPart, BehindTheEndThereIsNone) {
  const auto nothing = part_of("0123456789", ByteRange{10, 12});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(exit_code_of(nothing.error()), kExitUsage);
  EXPECT_EQ(nothing.error().message, "--range begins at byte 10, the data has 10: 0 to 9");
}

TEST(ArtifactFile, IsNewAndForItsOwnerAlone) {
  const TemporaryDirectory folder;
  const std::string name = folder.path() / "data.json";
  ASSERT_TRUE(write_new_file(name, "[1]"));
  std::ostringstream text;
  text << std::ifstream(name).rdbuf();
  EXPECT_EQ(text.str(), "[1]");
  struct stat status {};
  ASSERT_EQ(::stat(name.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const auto again = write_new_file(name, "[2]");
  ASSERT_FALSE(again);
  EXPECT_EQ(exit_code_of(again.error()), kExitUsage);
  EXPECT_THAT(again.error().message, HasSubstr("is there already"));
}

TEST(ArtifactFile, ThatCanNotBeWrittenIsAFailureThatNamesIt) {
  const auto missing = write_new_file("/nowhere/data.json", "[1]");
  ASSERT_FALSE(missing);
  EXPECT_EQ(exit_code_of(missing.error()), kExitFailed);
  EXPECT_THAT(missing.error().message, HasSubstr("can't write /nowhere/data.json: No such file"));
}

}  // namespace
}  // namespace ba::cli
