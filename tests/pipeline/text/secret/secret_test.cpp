// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/secret.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ba {
namespace {

TEST(Secrets, ShowNothing) {
  std::ostringstream out;
  out << Secret("sk-1") << Secret();
  EXPECT_EQ(out.str(), "***");
  Secret moved_from("x");
  const Secret taken = std::move(moved_from);
  EXPECT_EQ(taken.reveal(), "x");
}

}  // namespace
}  // namespace ba
