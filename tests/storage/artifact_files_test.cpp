// SPDX-License-Identifier: Apache-2.0
// Artifacts whose data is in files, when somebody else has been at these.
#include <filesystem>
#include <fstream>

#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/core/tool/artifact_store.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "tests/storage/storage_fixture.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ba::storage {
namespace {

class ArtifactFiles : public StorageTest {
 protected:
  void SetUp() override {
    const auto self = enter();
    job = running_job(self, "job-1").id;
    PgOptions options;
    options.access = schema().access();
    options.artifact_directory = directory.path();
    storage = std::move(open_storage(options, rig().executor()).value());
  }

  Result<ArtifactKept> keep() {
    return await<ArtifactKept>([&](auto done) {
      storage->artifacts().keep({id, TenantId("acme"), job, {0, 0, 1}, data}, std::move(done));
    });
  }
  Result<ArtifactData> read() {
    return await<ArtifactData>([&](auto done) {
      storage->artifacts().read({id, TenantId("acme"), job}, std::move(done));
    });
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path()))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }

  const std::string data = "[1,2,3]";
  const std::string id = artifact_id(TenantId("acme"), sha256_hex_of(data));
  TemporaryDirectory directory;
  LedgerJobId job;
  std::unique_ptr<PgStorage> storage;
};

TEST_F(ArtifactFiles, OneThatWasRemovedIsNotThereUntilItIsMadeAgain) {
  ASSERT_TRUE(keep());
  ASSERT_EQ(files().size(), 1U);
  std::filesystem::remove(files()[0]);
  EXPECT_EQ(read().error().code, ErrorCode::NotFound);
  ASSERT_TRUE(keep());
  EXPECT_EQ(read().value().data, data);
}

TEST_F(ArtifactFiles, EachChunkHasItsOwnAndAChunkThatIsGoneIsMadeAgain) {
  const auto put_and_keep = [&](const std::string& upload) {
    for (int i = 0; i < 3; ++i) {
      const DataChunk chunk{i, i, 1, std::to_string(i + 1)};
      ASSERT_TRUE(await<void>([&](auto done) {
        storage->artifacts().put({upload, TenantId("acme"), chunk}, std::move(done));
      }));
    }
    ASSERT_TRUE(await<ArtifactKept>([&](auto done) {
      storage->artifacts().keep(
          {id, TenantId("acme"), job, {0, 0, 1}, "", upload, 3, 3, std::ssize(data)},
          std::move(done));
    }));
  };
  put_and_keep("a");
  ASSERT_EQ(files().size(), 3U);
  EXPECT_EQ(read().value().data, data);
  std::ofstream(files()[0]) << "9";
  EXPECT_EQ(read().error().code, ErrorCode::Corrupt);
  std::filesystem::remove(files()[0]);
  EXPECT_EQ(read().error().code, ErrorCode::NotFound);
  put_and_keep("b");
  EXPECT_EQ(read().value().data, data);
}

TEST_F(ArtifactFiles, OneThatWasCutIsWrittenAgain) {
  ASSERT_TRUE(keep());
  std::filesystem::resize_file(files()[0], 3);
  EXPECT_EQ(read().error().code, ErrorCode::Corrupt);
  ASSERT_TRUE(keep());
  EXPECT_EQ(read().value().data, data);
}

TEST_F(ArtifactFiles, OneThatWasChangedIsNeverGivenAndNoPathIsTold) {
  ASSERT_TRUE(keep());
  std::ofstream(files()[0]) << "[9,9,9]";
  const auto changed = read();
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::Corrupt);
  EXPECT_EQ(changed.error().message.find('/'), std::string::npos);
}

TEST_F(ArtifactFiles, ADatabaseSweepsNoOthersFiles) {
  ASSERT_TRUE(keep());
  directory.write("another-installation/" + id + ".1", data);
  for (const auto& file : files())
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
  ArtifactRules rules;
  const auto cleaned = await<ArtifactCleaning>(
      [&](auto done) { storage->artifacts().clean(rules, std::move(done)); });
  ASSERT_TRUE(cleaned);
  EXPECT_EQ(cleaned->orphans, 0);
  EXPECT_EQ(files().size(), 2U);
}

}  // namespace
}  // namespace ba::storage
