// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/percent_encoding.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(PercentEncoding, LeavesTheUnreservedCharactersAlone) {
  EXPECT_EQ(percent_encoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encoded("a b/c?d=%&é"), "a%20b%2Fc%3Fd%3D%25%26%C3%A9");
  EXPECT_EQ(percent_encoded(""), "");
}

}  // namespace
}  // namespace ba
