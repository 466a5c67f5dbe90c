// SPDX-License-Identifier: Apache-2.0
#include "worker/config/changed_settings.hpp"

#include "tests/worker/config/config_fixture.hpp"

namespace ba::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using ChangedSettings = ConfigTest;

TEST_F(ChangedSettings, AreThoseThatDifferOrStandInOneOnly) {
  const auto before = load("limits: {running_jobs_max: 3}\nagents: {a: {}}\n").findings.settings;
  const auto after =
      load("limits: {running_jobs_max: 4}\nagents: {a: {model: m}}\n").findings.settings;
  EXPECT_THAT(changed_settings(before, after),
              ElementsAre("agents.a.model", "limits.running_jobs_max"));
}

TEST_F(ChangedSettings, AreNotThoseThatStandElsewhereInTheFile) {
  const auto before = load("limits: {running_jobs_max: 3}\n").findings.settings;
  EXPECT_THAT(
      changed_settings(before, load("\n\nlimits:\n  running_jobs_max: 3\n").findings.settings),
      IsEmpty());
}

}  // namespace
}  // namespace ba::config
