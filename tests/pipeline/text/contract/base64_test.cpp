// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/base64.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(Base64, VectorsOfTheStandard) {  // RFC 4648 §10
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64_encoded(bytes), text);
    EXPECT_EQ(base64_decoded(text), bytes);
  }
}

TEST(Base64, ReadsBothAlphabetsWithAndWithoutPadding) {
  EXPECT_EQ(base64_decoded("-_-_"), base64_decoded("+/+/"));
  EXPECT_EQ(base64_decoded("Zg"), "f");
  EXPECT_EQ(base64_decoded("Zg="), "f");
}

TEST(Base64, RefusesOtherText) {
  for (const char* text : {"Z", "Zm9vY", "Zm 9", "Zm9v\n", "===", "Zg===", "Z*9v"})
    EXPECT_EQ(base64_decoded(text), std::nullopt) << text;
}

}  // namespace
}  // namespace ba
