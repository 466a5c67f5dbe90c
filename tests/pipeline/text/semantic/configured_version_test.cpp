// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/configured_version.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ba {
namespace {

TEST(ConfiguredVersion, IsTheVersionWithADigestOfWhatResultsDependOn) {
  const std::string version = configured_version("1.0.0", {"db", "host=a\n"});
  EXPECT_EQ(version.substr(0, 6), "1.0.0+");
  EXPECT_EQ(version.size(), 14U);
  EXPECT_EQ(version, configured_version("1.0.0", {"db", "host=a\n"}));
}

TEST(ConfiguredVersion, DiffersWhereAnyPartDoes) {
  const std::set<std::string> versions{
      configured_version("1.0.0", {}),          configured_version("1.0.0", {""}),
      configured_version("1.0.0", {"ab", "c"}), configured_version("1.0.0", {"a", "bc"}),
      configured_version("1.0.0", {"c", "ab"}), configured_version("1.0.1", {"ab", "c"})};
  EXPECT_EQ(versions.size(), 6U);
}

}  // namespace
}  // namespace ba
