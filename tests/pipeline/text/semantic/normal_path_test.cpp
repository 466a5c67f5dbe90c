// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/normal_path.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(NormalPath, IsTheSameForOneFile) {
  const std::pair<const char*, const char*> same[]{{"a/b.csv", "a/b.csv"},
                                                   {"./a/b.csv", "a/b.csv"},
                                                   {"a//b.csv", "a/b.csv"},
                                                   {"a/./b.csv", "a/b.csv"},
                                                   {"a/b.csv/", "a/b.csv"},
                                                   {"a/c/../b.csv", "a/b.csv"},
                                                   {"a/b/../../c", "c"},
                                                   {"", "."},
                                                   {".", "."},
                                                   {"./", "."},
                                                   {"a/..", "."},
                                                   {"/a//b/", "/a/b"},
                                                   {"/", "/"},
                                                   {"a/b/./../c/.", "a/c"},
                                                   {"e\u0301.csv", "\u00e9.csv"}};
  for (const auto& [path, normal] : same) EXPECT_EQ(normal_path(path), normal) << path;
}

TEST(NormalPath, KeepsWhatMatters) {
  EXPECT_EQ(normal_path("../a"), "../a");
  EXPECT_EQ(normal_path("a/../../b"), "../b");
  EXPECT_EQ(normal_path("/../a"), "/../a");
  EXPECT_EQ(normal_path("A.csv"), "A.csv");
  EXPECT_EQ(normal_path("a b"), "a b");
  EXPECT_EQ(normal_path("..a/.b/c.."), "..a/.b/c..");
  EXPECT_EQ(normal_path("a\\b"), "a\\b");
  EXPECT_EQ(normal_path("..."), "...");
}

}  // namespace
}  // namespace ba
