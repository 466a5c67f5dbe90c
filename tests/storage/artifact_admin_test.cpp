// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact_admin.hpp"

#include <filesystem>
#include <fstream>

#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/core/tool/artifact_store.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "tests/storage/storage_fixture.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ba::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ArtifactAdmin : public StorageTest {
 protected:
  void SetUp() override {
    const auto self = enter();
    job_ = running_job(self, "job-1");
    ASSERT_TRUE(append(self, round_opened(job_)));
    ASSERT_TRUE(append(self, step_replied(job_, 1, 2)));
  }

  /// By the first call of the job.
  std::string keep(ArtifactStore& store, const std::string& data,
                   const std::string& tenant = "acme") {
    const std::string id = artifact_id(TenantId(tenant), sha256_hex_of(data));
    EXPECT_TRUE(await<ArtifactKept>([&](auto done) {
      store.keep({id, TenantId(tenant), job_.id, {0, 1, 1}, data}, std::move(done));
    }));
    return id;
  }
  std::string keep(const std::string& data) { return keep(rig().storage().artifacts(), data); }

  std::unique_ptr<PgStorage> with_files() {
    PgOptions options;
    options.access = schema().access();
    options.artifact_directory = directory_.path();
    return std::move(open_storage(options, rig().executor()).value());
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path()))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }

  std::vector<std::string> ids(const ArtifactFilter& filter, int rows_max = 10) {
    const auto found = kept_artifacts(schema().access(), filter, rows_max, 5);
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::string> ids;
    for (const KeptArtifact& artifact : *found) ids.push_back(artifact.id);
    return ids;
  }
  Result<std::string> data(const std::string& id, const std::string& tenant = "acme") {
    return artifact_data(schema().access(), TenantId(tenant), id, directory_.path());
  }

  TemporaryDirectory directory_;
  ClaimedJob job_;
};

TEST_F(ArtifactAdmin, ListsTheLastMadeFirstWithTheCallThatGaveIt) {
  const std::string first = keep("[1]");
  const std::string second = keep("[1,2]");
  EXPECT_THAT(ids({}), ElementsAre(second, first));
  EXPECT_THAT(ids({}, 1), ElementsAre(second));
  const KeptArtifact found = kept_artifacts(schema().access(), {}, 1, 5).value().at(0);
  EXPECT_EQ(found.tenant, "acme");
  EXPECT_EQ(found.bytes, 5);
  EXPECT_FALSE(found.in_file);
  EXPECT_EQ(found.made_at.size(), std::string("2026-03-01T12:00:00Z").size());
  ASSERT_THAT(found.uses, SizeIs(1));
  EXPECT_EQ(found.uses_count, 1);
  EXPECT_EQ(found.uses[0].conversation, "job:job-1");
  EXPECT_EQ(found.uses[0].job, "job-1");
  EXPECT_EQ(found.uses[0].position, (Position{0, 1, 1}));
  EXPECT_EQ(found.uses[0].tool, "query_database");
  EXPECT_FALSE(found.uses[0].taken_over);
}

TEST_F(ArtifactAdmin, FindsByIdTenantConversationAndJob) {
  const std::string id = keep("[1]");
  EXPECT_THAT(ids({id, "", "", ""}), ElementsAre(id));
  EXPECT_THAT(ids({"", "acme", "", ""}), ElementsAre(id));
  EXPECT_THAT(ids({"", "", "job:job-1", ""}), ElementsAre(id));
  EXPECT_THAT(ids({"", "acme", "", "job-1"}), ElementsAre(id));
  EXPECT_THAT(ids({id + "0", "", "", ""}), IsEmpty());
  EXPECT_THAT(ids({id, "globex", "", ""}), IsEmpty());
  EXPECT_THAT(ids({"", "", "other", ""}), IsEmpty());
  EXPECT_THAT(ids({"", "", "", "job-2"}), IsEmpty());
}

TEST_F(ArtifactAdmin, TellsOfAtMostSoManyUsesAndHowManyThereAre) {
  const std::string id = keep("[1]");
  schema().execute(
      "INSERT INTO artifact_references SELECT conversation, artifact, job, 1, -1, n, tenant"
      " FROM artifact_references, generate_series(1, 7) AS n");
  const KeptArtifact found = kept_artifacts(schema().access(), {}, 1, 3).value().at(0);
  EXPECT_EQ(found.uses_count, 8);
  ASSERT_THAT(found.uses, SizeIs(3));
  EXPECT_TRUE(found.uses[0].taken_over);
}

TEST_F(ArtifactAdmin, ReadsTheDataOfRowsAndOfFilesAndCountsThatAsNoUse) {
  const std::string in_row = keep("[1]");
  const auto storage = with_files();
  const std::string in_file = keep(storage->artifacts(), "[1,2]");
  const auto used = schema().query("SELECT max(accessed_at)::text FROM artifacts");
  EXPECT_EQ(data(in_row).value(), "[1]");
  EXPECT_EQ(data(in_file).value(), "[1,2]");
  EXPECT_EQ(schema().query("SELECT max(accessed_at)::text FROM artifacts"), used);
  EXPECT_TRUE(kept_artifacts(schema().access(), {in_file, "", "", ""}, 1, 1).value().at(0).in_file);
}

TEST_F(ArtifactAdmin, GivesNoDataToAnotherTenant) {
  const std::string id = keep("[1]");
  EXPECT_EQ(data(id, "globex").error().code, ErrorCode::NotFound);
}

TEST_F(ArtifactAdmin, AFileThatIsGoneOrWasChangedIsNoData) {
  const auto storage = with_files();
  const std::string id = keep(storage->artifacts(), "[1,2]");
  std::ofstream(files().at(0)) << "[2,1]";
  EXPECT_EQ(data(id).error().code, ErrorCode::Corrupt);
  std::filesystem::remove(files().at(0));
  const Error gone = data(id).error();
  EXPECT_EQ(gone.code, ErrorCode::NotFound);
  EXPECT_THAT(gone.message, HasSubstr("is gone from tools.artifacts.directory"));
}

TEST_F(ArtifactAdmin, MakesNoDirectoryThatIsMissing) {
  const auto storage = with_files();
  const std::string id = keep(storage->artifacts(), "[1,2]");
  const std::filesystem::path elsewhere = directory_.path() / "elsewhere";
  const auto missing = artifact_data(schema().access(), TenantId("acme"), id, elsewhere);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("can't be opened"));
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
}

}  // namespace
}  // namespace ba::storage
