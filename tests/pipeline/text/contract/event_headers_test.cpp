// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/event_headers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ba {
namespace {

const std::string kGood = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContext, AcceptsWhatTheStandardAllows) {
  EXPECT_TRUE(valid_traceparent(kGood));
  EXPECT_TRUE(valid_traceparent("cc" + kGood.substr(2) + "-what-a-newer-version-adds"));
}

TEST(TraceContext, RefusesEverythingElse) {
  const std::string bad_ones[] = {"",
                                  kGood.substr(1),
                                  kGood + "-x",
                                  "ff" + kGood.substr(2),
                                  "00-" + std::string(32, '0') + kGood.substr(35),
                                  kGood.substr(0, 36) + std::string(16, '0') + "-01",
                                  "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                  "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                  "cc" + kGood.substr(2) + "x"};
  for (const std::string& bad : bad_ones) EXPECT_FALSE(valid_traceparent(bad)) << bad;
  EXPECT_FALSE(valid_tracestate("a\n"));
}

TEST(TraceContext, IsNoLongerThanTheLimit) {
  const std::string newer = "cc" + kGood.substr(2) + "-";
  EXPECT_TRUE(valid_traceparent(newer + std::string(256 - newer.size(), 'x')));
  EXPECT_FALSE(valid_traceparent(newer + std::string(257 - newer.size(), 'x')));
}

}  // namespace
}  // namespace ba
