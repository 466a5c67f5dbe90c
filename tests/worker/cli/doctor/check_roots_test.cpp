// SPDX-License-Identifier: Apache-2.0
// What doctor says of the directories that tools read and write.
#include <gtest/gtest.h>

#include <map>

#include "tests/support/temporary_directory.hpp"
#include "worker/cli/doctor/check.hpp"
#include "worker/tools/files/files_config.hpp"

namespace ba::cli {
namespace {

std::map<std::string, Check> checks_of(const std::string& path) {
  config::Config config;
  config.tools.of<files::FilesConfig>().roots = {{"in", path, ""}};
  config.tools.of<files::FileWriteConfig>().roots = {{"out", path, ""}};
  std::map<std::string, Check> by_name;
  for (const Check& check : check_data_sources(config)) by_name[check.name] = check;
  return by_name;
}

TEST(CheckRoots, LookAtThoseToReadAndThoseToWriteAndLeaveNothingBehind) {
  const TemporaryDirectory directory;
  const auto checks = checks_of(directory.path().string());
  EXPECT_EQ(checks.at("files in").status, CheckStatus::Pass);
  EXPECT_EQ(checks.at("files to write out").status, CheckStatus::Pass);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(CheckRoots, SayWhatIsWrongAndWhatToDo) {
  for (const char* path : {"/no/such/place", "/etc/passwd"}) {
    const auto checks = checks_of(path);
    for (const char* name : {"files in", "files to write out"}) {
      EXPECT_EQ(checks.at(name).status, CheckStatus::Fail) << name;
      EXPECT_TRUE(checks.at(name).message.starts_with(path)) << checks.at(name).message;
      EXPECT_EQ(checks.at(name).remedy, "create it, or correct the path");
    }
  }
  const Check closed = checks_of("/proc/sys").at("files to write out");  // to root as well
  EXPECT_EQ(closed.status, CheckStatus::Fail) << closed.message;
  EXPECT_EQ(closed.remedy, "let the worker's user write there, or correct the path");
}

}  // namespace
}  // namespace ba::cli
