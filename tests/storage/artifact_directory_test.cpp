// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact/artifact_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "tests/support/temporary_directory.hpp"

namespace ba::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

const std::string kId = "artifact_0123456789abcdef0123456789abcdef";

class Directory : public testing::Test {
 protected:
  std::filesystem::path place() const { return root.path() / "artifacts"; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(place()))
      names.push_back(entry.path().filename());
    return names;
  }

  TemporaryDirectory root;
  ArtifactDirectory directory = std::move(ArtifactDirectory::open(place().string()).value());
};

TEST_F(Directory, IsMadeForItsOwnerAlone) {
  struct stat status {};
  ASSERT_EQ(::stat(place().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  ASSERT_TRUE(directory.write(kId, "x"));
  ASSERT_EQ(::stat((place() / files().front()).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(Directory, ReadsWhatWasWrittenUnderANameOfItsOwn) {
  const std::string first = directory.write(kId, "one").value();
  const std::string second = directory.write(kId, "two").value();
  EXPECT_NE(first, second);
  EXPECT_EQ(directory.read(first).value(), "one");
  EXPECT_EQ(directory.read(second).value(), "two");
  EXPECT_TRUE(directory.holds(first, 3));
  EXPECT_FALSE(directory.holds(first, 4)) << "it was cut";
  directory.remove(first);
  EXPECT_EQ(directory.read(first).error().code, ErrorCode::NotFound);
  EXPECT_THAT(files(), ElementsAre(second));
}

TEST_F(Directory, NoNameLeadsOut) {
  root.write("secret", "x");
  for (const char* name : {"../secret", "/etc/passwd", "", ".", "..", "a/b", ".hidden"}) {
    EXPECT_EQ(directory.read(name).error().code, ErrorCode::NotFound) << name;
    EXPECT_FALSE(directory.holds(name, 1)) << name;
    directory.remove(name);
  }
  std::filesystem::create_symlink(root.path() / "secret", place() / "link");
  EXPECT_EQ(directory.read("link").error().code, ErrorCode::Corrupt);
  EXPECT_TRUE(std::filesystem::exists(root.path() / "secret"));
}

TEST_F(Directory, WaitsForNobodyWhereItsFileWasReplaced) {
  ASSERT_EQ(mkfifo((place() / "fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(place() / "directory");
  for (const char* name : {"fifo", "directory"}) {
    EXPECT_EQ(directory.read(name).error().code, ErrorCode::Corrupt) << name;
    EXPECT_FALSE(directory.holds(name, 1));
  }
}

TEST_F(Directory, ListsWhatIsOldAndOursOnly) {
  const std::string name = directory.write(kId, "x").value();
  root.write("artifacts/somebody_elses", "x");
  root.write("artifacts/new-" + kId + ".1", "half of it");
  EXPECT_THAT(directory.older_than(Milliseconds(3'600'000)).value(), IsEmpty());
  EXPECT_THAT(directory.older_than(Milliseconds(0)).value(),
              UnorderedElementsAre(name, "new-" + kId + ".1"));
}

TEST_F(Directory, AFullDiskLeavesNothingBehindAndNamesNoPath) {
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = directory.write(kId, std::string(100'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, before);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(written.error().message, Not(HasSubstr("/")));
  EXPECT_THAT(files(), IsEmpty());
}

TEST(ArtifactDirectoryTest, OneThatCannotBeUsedIsNamedWithTheReason) {
  for (const char* path : {"/proc/nowhere", "/no/such/parent", "/etc/passwd"}) {
    const auto opened = ArtifactDirectory::open(path);
    ASSERT_FALSE(opened) << path;
    EXPECT_EQ(opened.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(opened.error().message,
                StartsWith("tools.artifacts.directory: " + std::string(path)));
  }
}

}  // namespace
}  // namespace ba::storage
