// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/normal_text.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(NormalText, IsInNfc) {
  EXPECT_EQ(nfc("e\u0301"), "\u00e9");
  EXPECT_EQ(nfc("A\u030a"), "\u00c5");
  EXPECT_EQ(nfc("\u212b"), "\u00c5");                     // the Ångström sign is the letter
  EXPECT_EQ(nfc("\u1100\u1161\u11a8"), "\uac01");         // Hangul
  EXPECT_EQ(nfc("q\u0323\u0307"), nfc("q\u0307\u0323"));  // marks in their order
  EXPECT_EQ(nfc("plain"), "plain");
  EXPECT_EQ(nfc("\ufb01"), "\ufb01");  // compatibility characters stay
  EXPECT_EQ(nfc("①"), "①");
}

TEST(NormalText, StaysAsItIsWhereItIsNoUtf8) { EXPECT_EQ(nfc("\xff\xc3"), "\xff\xc3"); }

TEST(NormalText, HasItsWhiteSpaceFolded) {
  EXPECT_EQ(folded_text("  a \n\t b  "), "a b");
  EXPECT_EQ(folded_text("a\u00a0\u2003b\u3000"), "a b");
  EXPECT_EQ(folded_text(""), "");
  EXPECT_EQ(folded_text(" \n "), "");
  EXPECT_EQ(folded_text("a\u200bb"), "a\u200bb");  // zero width is no white space to Unicode
  EXPECT_EQ(folded_text("Caf e\u0301"), "Caf \u00e9");
  EXPECT_NE(folded_text("a b"), folded_text("ab"));
  EXPECT_NE(folded_text("A b"), folded_text("a b"));
}

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
