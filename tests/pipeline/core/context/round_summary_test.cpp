// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/round_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/validate.hpp"
#include "tests/pipeline/core/context/sample_rounds.hpp"

namespace ba {
namespace {

using test::SampleRounds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// So many characters of two bytes.
std::string umlauts(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "ü";
  return text;
}

const std::vector<std::string> kWords = CompressionRules().decision_words;

SystemMessage summary_of(const SampleRounds& sample) {
  return round_summary("job/0", sample.counted(), kWords);
}

TEST(RoundSummary, HasRequestToolsOutcomesDecisionsErrorsAndAnswer) {
  SampleRounds sample;
  sample.round("Why did revenue\n fall?").hidden("a reminder");
  sample.calls("I decided to look at March. Then more.",
               {{"query_database", "3 rows"}, {"file_reader", "FILE_NOT_FOUND", false}});
  sample.calls("我选择北方。其他", {{"query_database", "north: -12 %"}});
  sample.says("The north fell by 12 %.");
  EXPECT_EQ(summary_of(sample).text,
            "Round job/0:\n"
            "  Request: Why did revenue fall?\n"
            "  Tools: [query_database, file_reader]\n"
            "  Tool Outcomes:\n"
            "    - query_database: ✓ 3 rows\n"
            "    - file_reader: ✗ FILE_NOT_FOUND\n"
            "    - query_database: ✓ north: -12 %\n"
            "  Key Decisions:\n"
            "    - I decided to look at March.\n"
            "    - 我选择北方。\n"
            "  Errors: file_reader: FILE_NOT_FOUND\n"
            "  Answer: The north fell by 12 %.");
}

TEST(RoundSummary, FindsTheNameOfAToolAtItsCallWhereAResultHasNone) {
  SampleRounds sample;
  sample.round("r").calls("", {{"query_database", "3 rows"}}).says("3");
  const std::deque<Message> messages = [&] {
    std::deque<Message> copies = sample.messages();
    for (Message& message : copies)
      if (auto* result = std::get_if<ToolMessage>(&message)) result->tool_name.clear();
    return copies;
  }();
  std::vector<CountedMessage> counted;
  for (const Message& message : messages) counted.push_back({&message, 1});
  EXPECT_THAT(round_summary("r", counted, kWords).text, HasSubstr("- query_database: ✓ 3 rows"));
}

TEST(RoundSummary, SaysNothingOfWhatThereWasNot) {
  SampleRounds sample;
  sample.round("hello").says("hi");
  EXPECT_EQ(summary_of(sample).text, "Round job/0:\n  Request: hello\n  Answer: hi");
}

TEST(RoundSummary, CutsEachLine) {
  SampleRounds sample;
  sample.round(std::string(300, 'r'));
  std::string thoughts;
  for (int i = 0; i < 9; ++i) {
    thoughts += "We chose number " + std::to_string(i) + (i == 4 ? umlauts(200) : "") + ".\n";
    sample.calls(i == 8 ? thoughts : "",
                 {{"t", std::string(300, static_cast<char>('a' + i))}, {"t", umlauts(300)}});
  }
  sample.says("It is " + umlauts(300));
  const std::string text = summary_of(sample).text;
  EXPECT_THAT(text, HasSubstr("Request: " + std::string(100, 'r') + "…\n"));
  EXPECT_THAT(text, HasSubstr("    - t: ✓ " + std::string(200, 'i') + "…\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr(std::string(200, 'd'))));  // the last ten
  EXPECT_THAT(text, HasSubstr("    - t: ✓ " + umlauts(200) + "…\n"));
  EXPECT_THAT(text, HasSubstr("- We chose number 3.\n"));
  EXPECT_THAT(text, HasSubstr("- We chose number 4" + umlauts(83) + "…\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("number 5")));
  EXPECT_THAT(text, testing::EndsWith("Answer: It is " + umlauts(94) + "…"));
}

TEST(RoundSummary, IsAMessageWithTheRoundThatItStandsFor) {
  SampleRounds sample;
  sample.round("hello").says("hi");
  const SystemMessage made = summary_of(sample);
  EXPECT_TRUE(validate_message(made));
  EXPECT_EQ(made.meta.additional_kwargs.at("compressed"), "true");
  EXPECT_EQ(made.meta.additional_kwargs.at("original_round_id"), "\"job/0\"");
  EXPECT_EQ(made.meta.round_id, "job/0");
  EXPECT_EQ(message_from_json(message_to_json(made)).value(), Message(made));
}

TEST(RoundSummary, ASentenceEndsAtItsStopOrItsLine) {
  EXPECT_THAT(decisions_in("Version 1.5 was Chosen? Undecided. I Chose 1.5! no", kWords, 9),
              ElementsAre("I Chose 1.5!"));
  EXPECT_THAT(decisions_in("selected\nnot this\nWe decided.", kWords, 9),
              ElementsAre("selected", "We decided."));
  EXPECT_THAT(decisions_in("a decided. b decided. c decided.", kWords, 2),
              ElementsAre("a decided.", "b decided."));
}

}  // namespace
}  // namespace ba
