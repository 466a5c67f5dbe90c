// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/thinking_bonds.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/worker/llm/growing_conversation.hpp"
#include "tests/worker/llm/llm_messages.hpp"

namespace ba::llm {
namespace {

class ThinkingBondsTest : public ::testing::Test {
 protected:
  ThinkingBondsTest() {
    talk_.fields().affinity = 7;
    talk_.fields().model = "m";
    talk_.fields().system = "be brief";
  }

  std::size_t loose(TestRequest& request, bool turn_stays = false) {
    return bonds_.loose(request.get(), {.bound = true, .turn_stays = turn_stays});
  }
  std::size_t loose() { return loose(talk_); }

  template <typename Change>
  void first_tool(Change change) {
    std::vector<ToolSpec> tools = talk_.fields().tools;
    change(tools.at(0));
    talk_.fields().tools = std::move(tools);
  }

  static ToolCall call() {
    ToolCall call;
    call.id = ToolCallId("c");
    call.name = "query_database";
    call.args_json = "{}";
    return call;
  }

  ThinkingBonds bonds_;
  TestRequest talk_;
};

TEST_F(ThinkingBondsTest, NothingIsLooseWhileAConversationOnlyGrows) {
  EXPECT_EQ(loose(talk_.human("q")), 0U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(loose(talk_.ai("a").human("q")), 0U);
  EXPECT_EQ(loose(), 0U) << "asked again";
}

TEST_F(ThinkingBondsTest, AnotherPromptToolOrSchemaLoosensWhatStoodBeforeIt) {
  const std::function<void()> changes[] = {
      [this] { talk_.fields().system = "be long"; },
      [this] { talk_.with_tool(); },
      [this] { first_tool([](ToolSpec& tool) { tool.description = "Runs it."; }); },
      [this] { first_tool([](ToolSpec& tool) { tool.parameters_schema = "{}"; }); },
      [this] { talk_.fields().answer_schema = "{}"; },
      [this] { talk_.fields().tools = {}; }};
  talk_.human("q").ai("a").human("q");
  ASSERT_EQ(loose(), 0U);
  std::size_t messages = 3;
  for (const auto& change : changes) {
    change();
    EXPECT_EQ(loose(), messages - 1);
    EXPECT_EQ(loose(talk_.ai("a").human("q")), messages - 1) << "what came after stays";
    messages += 2;
  }
}

/// What a model thinks, it thinks behind the prompt and the tools that it was sent, and another
/// model of its provider reads it behind its own.
TEST_F(ThinkingBondsTest, AnotherModelsPromptAndToolsLoosenToo) {
  talk_.human("q").ai("a").human("q");
  ASSERT_EQ(loose(), 0U);
  talk_.fields().model = "n";
  EXPECT_EQ(loose(), 0U) << "behind the same";
  talk_.ai("b").human("q");
  talk_.fields().model = "m";
  talk_.with_tool();
  EXPECT_EQ(loose(), 4U);
}

TEST_F(ThinkingBondsTest, TheFirstReplyOfAConversationIsBoundToWhatItWasAskedBehind) {
  ASSERT_EQ(loose(talk_.human("q")), 0U);
  talk_.with_tool();
  EXPECT_EQ(loose(talk_.ai("a").human("q")), 2U);
}

TEST_F(ThinkingBondsTest, ASummaryOfTheConversationChangesNothing) {
  talk_.human("q").ai("a").human("q");
  ASSERT_EQ(loose(), 0U);
  TestRequest summary;
  summary.fields() = talk_.fields();
  summary.fields().system = "sum it up";
  summary.fields().aside = true;
  EXPECT_EQ(loose(summary.human("all of it")), 0U);
  EXPECT_EQ(loose(talk_.ai("b").human("q")), 0U);
}

TEST_F(ThinkingBondsTest, AHistoryThatWasMadeShorterLoosensWhatIsLeftOfIt) {
  talk_.human("q").ai("a").human("q").ai("b").human("q");
  ASSERT_EQ(loose(), 0U);
  TestRequest shorter;
  shorter.fields() = talk_.fields();
  shorter.system("Round 0").human("q").ai("b").human("q");
  EXPECT_EQ(loose(shorter), 3U);
  EXPECT_EQ(loose(shorter.ai("c").human("q")), 3U);
}

/// It stands under the same id.
TEST_F(ThinkingBondsTest, AWrittenSummaryInPlaceOfAnExtractLoosensToo) {
  talk_.system("extract").human("q").ai("a").human("q");
  ASSERT_EQ(loose(), 0U);
  TestRequest written;
  written.fields() = talk_.fields();
  EXPECT_EQ(loose(written.system("summary").human("q").ai("a").human("q")), 3U);
}

TEST_F(ThinkingBondsTest, WhatTheRequestSaysHasMovedIsLooseAtOnce) {
  talk_.human("q").ai("a").human("q").ai("b").human("q");
  talk_.fields().moved = 3;
  EXPECT_EQ(loose(), 3U);
  talk_.fields().affinity = 0;
  EXPECT_EQ(loose(), 3U) << "also of a conversation that nobody can tell from others";
  EXPECT_EQ(bonds_.loose(talk_.get(), {}), 0U) << "where nothing is bound";
}

TEST_F(ThinkingBondsTest, WhatWasRefusedStaysLoose) {
  talk_.human("q").ai("a").human("q");
  ASSERT_EQ(loose(), 0U);
  bonds_.refused(ThinkingBonds::place_of(talk_.get()));
  EXPECT_EQ(loose(), 2U);
  EXPECT_EQ(loose(talk_.ai("b").human("q")), 2U);
  EXPECT_EQ(bonds_.loose(talk_.get(), {}), 2U) << "bound or not";
  talk_.fields().affinity = 8;
  EXPECT_EQ(loose(), 0U) << "another conversation";
  talk_.fields().affinity = 7;
  talk_.fields().model = "n";
  EXPECT_EQ(loose(), 0U) << "another model";
}

/// Anthropic refuses a turn that goes on without the thoughts that it began with, where these are
/// switched on.
TEST_F(ThinkingBondsTest, AnOpenTurnMayNeedAllItsThoughts) {
  talk_.human("q").ai("a", {call()}).tool("c", "r").ai("b").human("q");
  talk_.ai("c", {call()}).tool("c", "r").human("reminder").ai("d", {call()}).tool("c", "r");
  ASSERT_EQ(loose(talk_, true), 0U);
  talk_.fields().system = "be long";
  EXPECT_EQ(loose(talk_, true), 5U) << "what was said in the turns before";
  EXPECT_EQ(loose(talk_), 9U);
  talk_.fields().moved = 8;
  EXPECT_EQ(loose(talk_, true), 5U);
  EXPECT_EQ(loose(talk_.ai(" ").human("go on"), true), 5U) << "a reply of which nothing goes back";
  EXPECT_EQ(loose(talk_.ai("e").human("q"), true), 9U) << "it is over";
}

TEST_F(ThinkingBondsTest, WhatAnOpenTurnNeedsIsLooseOnceItIsRefused) {
  talk_.human("q").ai("a").human("q").ai("b", {call()}).tool("c", "r");
  ASSERT_EQ(loose(talk_, true), 0U);
  talk_.fields().system = "be long";
  EXPECT_EQ(loose(talk_, true), 3U);
  bonds_.refused(ThinkingBonds::place_of(talk_.get()));
  EXPECT_EQ(loose(talk_, true), 4U) << "they were refused";
}

/// What is known of a request with a memory is what is known of one without.
TEST_F(ThinkingBondsTest, AMemoryChangesNothing) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    ThinkingBonds with;
    ThinkingBonds without;
    GrowingConversation talk(seed, "anthropic/p");
    std::array<RequestMemory, 2> memories;  // of two models, asked in turns
    std::string system = "be brief";
    for (int step = 0; step < 60; ++step) {
      talk.grow();
      if (talk.one_in(12)) {
        talk.compress();
        for (RequestMemory& memory : memories) memory.forget();
      }
      if (talk.one_in(20)) system += ".";
      ModelRequest request;
      const auto model = static_cast<std::size_t>(talk.one_in(4));
      request.model = "m" + std::to_string(model);
      request.system = system;
      request.affinity = 7;
      const std::vector<Message> moved = talk.messages();
      for (const Message& message : moved) request.messages.push_back(&message);
      const ThinkingBonds::Rules rules{.bound = true, .turn_stays = seed % 2 == 0};
      const std::size_t expected = without.loose(request, rules);
      request.memory = &memories[model];
      ASSERT_EQ(with.loose(request, rules), expected) << "seed " << seed << ", step " << step;
      if (!talk.one_in(15)) continue;
      with.refused(ThinkingBonds::place_of(request));
      without.refused(ThinkingBonds::place_of(request));
    }
  }
}

TEST_F(ThinkingBondsTest, ForgetsTheConversationsThatWereUsedLeast) {
  talk_.human("q").ai("a").human("q");
  loose();
  bonds_.refused(ThinkingBonds::place_of(talk_.get()));
  for (std::size_t i = 1; i < ThinkingBonds::kConversationsMax; ++i) {
    talk_.fields().affinity = 100 + i;
    loose();
  }
  talk_.fields().affinity = 7;
  EXPECT_EQ(loose(), 2U);
  for (std::size_t i = 0; i < ThinkingBonds::kConversationsMax; ++i) {
    talk_.fields().affinity = 100'000 + i;
    loose();
  }
  talk_.fields().affinity = 7;
  EXPECT_EQ(loose(), 0U);
}

}  // namespace
}  // namespace ba::llm
