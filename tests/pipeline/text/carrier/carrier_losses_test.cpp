// SPDX-License-Identifier: Apache-2.0
// What forms have no place for, and limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/text/carrier/carrier_text.hpp"
#include "tests/pipeline/text/message/sample_history.hpp"

namespace ba {
namespace {

using test::kinds;
using test::losses_of;
using testing::HasSubstr;

TEST(CarrierLosses, AreToldWithThePlace) {
  const auto history = test::sample_history();
  EXPECT_EQ(kinds(losses_of(CarrierFormat::Langchain, history)), "");
  EXPECT_EQ(kinds(losses_of(CarrierFormat::Debug, history)), "");
  EXPECT_EQ(kinds(losses_of(CarrierFormat::Openai, history)),
            "additional_kwargs at messages[1].additional_kwargs.isMeta x1\n"
            "what only its provider understands (signatures, reasoning items) at messages[2] x1\n"
            "usage at messages[2] x1\n"
            "the status of a failed call at messages[3] x1\n");
  EXPECT_EQ(kinds(losses_of(CarrierFormat::Responses, history)),
            "additional_kwargs at messages[1].additional_kwargs.isMeta x1\n"
            "what only its provider understands (signatures, reasoning items) at messages[2] x1\n"
            "usage at messages[2] x1\n"
            "thinking that is no reasoning item of OpenAI's at messages[2] x1\n"
            "the status of a failed call at messages[3] x1\n");
}

TEST(CarrierLosses, StayShortHoweverMany) {
  Losses losses;
  for (int i = 0; i < 1000; ++i) losses.add("kind " + std::to_string(i), "f");
  EXPECT_EQ(losses.kinds().size(), Losses::kKindsMax + 1);
  EXPECT_EQ(losses.kinds().back().what, "more");
  EXPECT_EQ(losses.kinds().back().count, 1000 - Losses::kKindsMax);
  Losses others;
  others.add("kind 1", "g");
  others.add("kind 1", "h");
  others.add(losses);
  EXPECT_EQ(others.kinds().front(), (Losses::Kind{"kind 1", "g", 3}));
}

TEST(CarrierLimits, AConversationHasAMostOfMessages) {
  std::string json = "[";
  for (std::size_t i = 0; i <= kCarriedMessagesMax; ++i)
    json += std::string(i > 0 ? "," : "") + R"({"role":"user","content":""})";
  json += "]";
  EXPECT_THAT(test::refusal_of(CarrierFormat::Openai, json),
              HasSubstr("messages[100000] is one more than the 100000 messages"));
}

TEST(CarrierLimits, DepthIsBounded) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_THAT(test::refusal_of(CarrierFormat::Openai, deep), HasSubstr("deep"));
}

}  // namespace
}  // namespace ba
