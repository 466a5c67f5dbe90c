// SPDX-License-Identifier: Apache-2.0
// Properties of all forms, on random conversations.
#include <gtest/gtest.h>

#include "tests/pipeline/text/carrier/carrier_text.hpp"
#include "tests/pipeline/text/carrier/random_conversation.hpp"

namespace ba {
namespace {

using test::converted;
using test::RandomConversation;
using test::read_text;
using test::written;

constexpr unsigned kConversations = 400;

class RoundTrip : public testing::TestWithParam<CarrierFormat> {};

INSTANTIATE_TEST_SUITE_P(Forms, RoundTrip,
                         testing::Values(CarrierFormat::Langchain, CarrierFormat::Anthropic,
                                         CarrierFormat::Openai, CarrierFormat::Responses),
                         [](const auto& tested) {
                           return std::string(name_of(kCarrierFormatNames, tested.param));
                         });

TEST_P(RoundTrip, WhatAFormCanHoldComesBack) {
  for (unsigned seed = 0; seed < kConversations; ++seed) {
    const auto messages = RandomConversation(seed, GetParam()).next();
    const std::string text = written(GetParam(), messages);
    ASSERT_EQ(read_text(GetParam(), text).messages, messages) << "seed " << seed << "\n" << text;
  }
}

TEST_P(RoundTrip, WhatAFormCanHoldIsNoLoss) {
  for (unsigned seed = 0; seed < kConversations; ++seed) {
    const auto messages = RandomConversation(seed, GetParam()).next();
    const Losses losses = test::losses_of(GetParam(), messages);
    ASSERT_TRUE(losses.empty()) << "seed " << seed << "\n" << test::kinds(losses);
  }
}

/// LangChain's form holds what each other does.
TEST_P(RoundTrip, AFormComesBackByteForByteThroughLangchains) {
  for (unsigned seed = 0; seed < kConversations; ++seed) {
    const std::string text = written(GetParam(), RandomConversation(seed, GetParam()).next());
    const std::string between = converted(GetParam(), CarrierFormat::Langchain, text);
    ASSERT_EQ(converted(CarrierFormat::Langchain, GetParam(), between), text)
        << "seed " << seed << "\n"
        << between;
  }
}

/// Whoever said what, which calls were made and what they gave: that is in every form.
TEST_P(RoundTrip, TheConversationItselfComesThroughEveryForm) {
  for (unsigned seed = 0; seed < kConversations / 4; ++seed) {
    const auto messages = RandomConversation(seed, CarrierFormat::Anthropic).next();
    const auto back = read_text(GetParam(), written(GetParam(), messages)).messages;
    ASSERT_EQ(back.size(), messages.size()) << "seed " << seed;
    for (std::size_t i = 0; i < back.size(); ++i) {
      ASSERT_EQ(back[i].index(), messages[i].index()) << "seed " << seed << ", message " << i;
      if (const auto* ai = std::get_if<AiMessage>(&messages[i])) {
        ASSERT_EQ(std::get<AiMessage>(back[i]).tool_calls, ai->tool_calls) << "seed " << seed;
        ASSERT_EQ(std::get<AiMessage>(back[i]).text, ai->text) << "seed " << seed;
      }
      if (const auto* result = std::get_if<ToolMessage>(&messages[i])) {
        ASSERT_EQ(std::get<ToolMessage>(back[i]).content, result->content) << "seed " << seed;
      }
    }
  }
}

TEST_P(RoundTrip, EveryDocumentIsJson) {
  for (unsigned seed = 0; seed < kConversations / 4; ++seed) {
    const auto messages = RandomConversation(seed, GetParam()).next();
    for (const auto& [format, name] : kCarrierFormatNames)
      ASSERT_TRUE(JsonView::parse(written(format, messages))) << name << ", seed " << seed;
  }
}

}  // namespace
}  // namespace ba
