// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/normal_url.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(NormalUrl, IsTheSameForOneResource) {
  const std::pair<const char*, const char*> same[]{
      {"http://example.com/", "http://example.com/"},
      {"HTTP://EXAMPLE.com/", "http://example.com/"},
      {"http://example.com", "http://example.com/"},
      {"http://example.com:80/", "http://example.com/"},
      {"https://example.com:443/a", "https://example.com/a"},
      {"http://example.com:/a", "http://example.com/a"},
      {"http://example.com/%7Efoo", "http://example.com/~foo"},
      {"http://example.com/%e4%bd", "http://example.com/%E4%BD"},
      {"http://example.com/a/./b/../c", "http://example.com/a/c"},
      {"http://example.com/a#part", "http://example.com/a"},
      {"http://example.com/?q=%41", "http://example.com/?q=A"},
      {"  http://example.com/ \n", "http://example.com/"},
      {"ftp://example.com:21/", "ftp://example.com/"}};
  for (const auto& [url, normal] : same) EXPECT_EQ(normal_url(url), normal) << url;
}

TEST(NormalUrl, KeepsWhatMatters) {
  const std::pair<const char*, const char*> different[]{
      {"http://example.com/", "https://example.com/"},
      {"http://example.com/a", "http://example.com/A"},
      {"http://example.com/a", "http://example.com/a/"},
      {"http://example.com/", "http://example.com:8080/"},
      {"https://example.com:80/", "https://example.com/"},
      {"http://example.com/?a=1&b=2", "http://example.com/?b=2&a=1"},
      {"http://example.com/?a", "http://example.com/"},
      {"http://example.com/?", "http://example.com/"},
      {"http://example.com/a%2Fb", "http://example.com/a/b"},
      {"http://example.com/?a=1%262", "http://example.com/?a=1&2"},
      {"http://u@example.com/", "http://example.com/"},
      {"http://example.com/a", "http://example.org/a"}};
  for (const auto& [left, right] : different)
    EXPECT_NE(normal_url(left), normal_url(right)) << left << " " << right;
}

TEST(NormalUrl, StaysAsItIsWhereItIsNone) {
  for (const char* text :
       {"", "example.com", "not a url", "mailto:a@b.c", "http://", "/a/b", "a b://c"})
    EXPECT_EQ(normal_url(text), text);
}

TEST(PercentEncoding, LeavesTheUnreservedCharactersAlone) {
  EXPECT_EQ(percent_encoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encoded("a b/c?d=%&é"), "a%20b%2Fc%3Fd%3D%25%26%C3%A9");
  EXPECT_EQ(percent_encoded(""), "");
}

}  // namespace
}  // namespace ba
