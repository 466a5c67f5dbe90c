// SPDX-License-Identifier: Apache-2.0
// The sections tools.file_write and tools.artifacts.
#include "tests/worker/config/config_fixture.hpp"
#include "worker/config/configured_tools.hpp"

namespace ba::config {
namespace {

tools::ToolMaker reader_of(const Config& config) {
  for (tools::ToolMaker& maker : tool_makers(config))
    if (maker.name == "file_reader") return std::move(maker);
  return {};
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ConfigOfFiles = ConfigTest;

TEST_F(ConfigOfFiles, ArtifactsAreKeptInTheDatabaseForADayUnlessSaidOtherwise) {
  const Config usual = load("").config;
  EXPECT_EQ(usual.artifacts, ArtifactConfig{});
  EXPECT_TRUE(usual.artifacts.enabled);
  EXPECT_EQ(usual.artifacts.rules.max_age, Milliseconds(24LL * 3'600'000));
  EXPECT_EQ(usual.artifacts.rules.bytes_max, 10LL << 30);
  EXPECT_EQ(usual.artifacts.cleanup_interval, Milliseconds(3'600'000));
  EXPECT_TRUE(usual.artifacts.rules.remove_when_closed);
  EXPECT_EQ(usual.tool_runtime.inline_full_max_bytes, 16384);
  EXPECT_TRUE(reader_of(usual).configured) << "file_reader reads them";
  EXPECT_EQ(usual.postgres.artifact_directory, "");
}

TEST_F(ConfigOfFiles, ReadsEachKeyOfArtifacts) {
  const LoadedConfig loaded = load(R"(
tools:
  inline_full_max_bytes: 0
  artifacts: {directory: /srv/kept, artifact_bytes_max: 1048576, read_bytes_max: 2097152, max_age_hours: 2, max_size_gb: 3,
    cleanup_interval_seconds: 30, remove_when_closed: false}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  const ArtifactConfig& read = loaded.config.artifacts;
  EXPECT_EQ(loaded.config.postgres.artifact_directory, "/srv/kept");
  EXPECT_EQ(read.artifact_bytes_max, 1 << 20);
  EXPECT_EQ(read.read_bytes_max, 2 << 20);
  EXPECT_EQ(read.rules.max_age, Milliseconds(2LL * 3'600'000));
  EXPECT_EQ(read.rules.bytes_max, 3LL << 30);
  EXPECT_EQ(read.rules.orphans_after, Milliseconds(30'000)) << "none older than that is left";
  EXPECT_EQ(read.rules.settled_after, Milliseconds(30'000));
  EXPECT_EQ(read.cleanup_interval, Milliseconds(30'000));
  EXPECT_FALSE(read.rules.remove_when_closed);
}

TEST_F(ConfigOfFiles, WithoutArtifactsNobodyReadsAny) {
  const Config off = load("tools: {artifacts: {enabled: false, directory: /srv/kept}}\n").config;
  EXPECT_FALSE(reader_of(off).configured);
  EXPECT_EQ(off.postgres.artifact_directory, "");
}

TEST_F(ConfigOfFiles, WhatIsOutOfBoundsIsRefusedWhereItStands) {
  for (const char* setting :
       {"artifacts: {max_age_hours: 0}", "artifacts: {max_size_gb: 0}",
        "artifacts: {cleanup_interval_seconds: 0}", "artifacts: {artifact_bytes_max: 1048575}",
        "artifacts: {read_bytes_max: 1048575}", "artifacts: {directory: kept}",
        "artifacts: {max_age: 5}", "inline_full_max_bytes: -1", "preview_bytes: 1048577",
        "file_write: {file_bytes_max: 0}", "file_write: {keep_days: 0}", "file_write: {threads: 0}",
        "file_write: {permission: root}", "file_write: {roots: [{name: a, path: srv}]}",
        "file_write: {roots: [{name: A, path: /srv}]}"}) {
    const auto wrong = errors("tools:\n  " + std::string(setting) + "\n");
    ASSERT_EQ(wrong.size(), 1U) << setting;
    EXPECT_THAT(wrong[0], HasSubstr("c.yaml:2: tools.")) << setting;
  }
  EXPECT_THAT(errors("tools:\n  artifacts: {directory: kept}\n"),
              ElementsAre("c.yaml:2: tools.artifacts.directory: \"kept\" is not an absolute path "
                          "(empty: artifacts are kept in PostgreSQL)"));
  EXPECT_THAT(errors("tools:\n  settings:\n    file_write: {cache_policy: ttl_short}\n"),
              ElementsAre(HasSubstr("results of this tool are never kept")));
}

TEST_F(ConfigOfFiles, ReadsEachKeyOfFileWrite) {
  const LoadedConfig loaded = load(R"(
tools:
  file_write: {permission: default, file_bytes_max: 5, keep_days: 6, threads: 7, csv_formulas: true,
    roots: [{name: out, path: /srv/out, description: Reports}]}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  files::FileWriteConfig wanted;
  wanted.permission = PermissionLevel::Default;
  wanted.file_bytes_max = 5;
  wanted.keep_days = 6;
  wanted.csv_formulas = true;
  wanted.threads = 7;
  wanted.roots = {{"out", "/srv/out", "Reports"}};
  EXPECT_EQ(loaded.config.tools.of<files::FileWriteConfig>(), wanted);
}

}  // namespace
}  // namespace ba::config
