// SPDX-License-Identifier: Apache-2.0
// What becomes of the date of the job under way when the question that tells it is dropped.
#include "pipeline/core/context/compression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/core/context/context_view.hpp"
#include "pipeline/text/message/job_time.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "tests/pipeline/core/context/sample_rounds.hpp"
#include "tests/support/quarter_meter.hpp"

namespace ba {
namespace {

using test::SampleRounds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kOld = "Today is Thursday, 2026-11-26 (UTC).";
constexpr const char* kNew = "Today is Friday, 2026-11-27 (UTC).";

class JobDateTest : public testing::Test {
 protected:
  JobDateTest() {
    frame_.model = "model";
    frame_.window = 10'000;
  }

  /// A question, which may tell a date, and steps of 500 tokens each.
  void round(const std::string& question, const std::string& date, int steps) {
    sample_.round(question);
    if (!date.empty()) dates_[sample_.messages().size() - 1] = date;
    for (int i = 0; i < steps; ++i)
      sample_.calls("step " + std::to_string(i), {{"t", std::string(1'950, 'x')}});
    sample_.says("answered");
  }

  std::vector<Message> history() const {
    std::vector<Message> messages(sample_.messages().begin(), sample_.messages().end());
    for (const auto& [at, date] : dates_)
      append_json_string(meta_of(messages[at]).additional_kwargs[std::string(kJobTimeKwarg)], date);
    return messages;
  }

  /// What the model reads of the user.
  std::vector<std::string> read(ContextView& view, const std::vector<Message>& history) const {
    std::vector<std::string> texts;
    for (const Message* message : view.messages({history}))
      if (const auto* human = std::get_if<HumanMessage>(message))
        texts.push_back(text_for_model(*human));
    return texts;
  }

  /// Of the whole history, which is too long.
  std::vector<std::string> read() {
    const std::vector<Message> all = history();
    ContextView view(frame_, rules_, &meter_);
    const std::vector<std::string> texts = read(view, all);
    EXPECT_EQ(view.compressions(), 1);
    return texts;
  }

  static std::string told(const std::string& date, const std::string& question) {
    return date + "\n\n" + question;
  }

  SampleRounds sample_;
  std::map<std::size_t, std::string> dates_;  ///< by message
  ContextFrame frame_;
  CompressionRules rules_;
  QuarterMeter meter_;
};

TEST_F(JobDateTest, IsToldByTheNextQuestionWhereItsOwnIsDropped) {
  rules_.mode = CompressionMode::Truncate;
  round("how many?", kNew, 9);
  round("and before?", "", 9);
  EXPECT_THAT(read(), ElementsAre(told(kNew, "and before?")));
}

TEST_F(JobDateTest, IsToldByAnExtractThatHasNoRoomForItsQuestion) {
  round("how many? " + std::string(20'000, 'q'), kNew, 1);
  for (int i = 1; i < 8; ++i) round("question " + std::to_string(i), "", 1);
  EXPECT_EQ(read().at(0), told(kNew, "question 1"));
}

TEST_F(JobDateTest, StaysWhereItIsWhileItsQuestionStays) {
  round("how many?", kNew, 9);
  round("and before?", "", 9);
  EXPECT_THAT(read(), ElementsAre(told(kNew, "how many?"), "and before?"));
}

TEST_F(JobDateTest, OfAnEarlierJobMayGo) {
  rules_.mode = CompressionMode::Truncate;
  round("long ago", kOld, 9);
  frame_.earlier_messages = sample_.messages().size();
  round("how many?", "", 9);
  EXPECT_THAT(read(), ElementsAre("how many?")) << "this job tells no date";
}

TEST_F(JobDateTest, IsThatOfTheJobUnderWayAndNoOther) {
  rules_.mode = CompressionMode::Truncate;
  round("long ago", kOld, 5);
  frame_.earlier_messages = sample_.messages().size();
  round("how many?", kNew, 5);
  round("and before?", "", 9);
  EXPECT_THAT(read(), ElementsAre(told(kNew, "and before?")));
}

/// It has its source's date with the rounds that it was made from.
TEST_F(JobDateTest, OfACopyIsItsOwnOnceThatWasTold) {
  rules_.mode = CompressionMode::Truncate;
  round("of the source", kOld, 5);
  round("how many?", kNew, 5);
  round("and before?", "", 9);
  EXPECT_THAT(read(), ElementsAre(told(kNew, "and before?")));
}

TEST_F(JobDateTest, IsNotToldByWhatNobodyAsked) {
  rules_.mode = CompressionMode::Truncate;
  rules_.keep_recent_messages = 3;
  round("how many?", kNew, 9);
  round("and before?", "", 9);
  sample_.hidden("a reminder");
  EXPECT_THAT(read(), ElementsAre(told(kNew, "and before?"), "a reminder"));
}

TEST_F(JobDateTest, HasItsRoomWithinTheTarget) {
  round("how many? " + std::string(20'400, 'q'), kNew, 1);
  for (int i = 1; i < 5; ++i) round("question " + std::to_string(i), "", 1);
  sample_.round("question 5").calls("step 0", {{"t", std::string(1'950, 'x')}});
  const std::vector<Message> all = history();
  ContextView view(frame_, rules_, &meter_);
  std::int64_t tokens = 0;
  for (const Message* message : view.messages({all}))
    tokens += message_tokens(*message, test::quarter_tokens);
  const auto events = view.take_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].missed, "");
  EXPECT_EQ(view.estimated_tokens(), tokens);
  EXPECT_EQ(events[0].tokens_after, tokens);
  EXPECT_LE(tokens, 5'000);
}

TEST_F(JobDateTest, IsTheSameWheneverItIsAskedForAndAfterARestart) {
  rules_.mode = CompressionMode::Truncate;
  round("how many?", kNew, 9);
  for (int i = 1; i < 12; ++i) round("question " + std::to_string(i), "", 3);
  const std::vector<Message> all = history();
  ContextView lives(frame_, rules_, &meter_);
  for (std::size_t size = 1; size <= all.size(); size += 2) {
    const std::vector<Message> sofar(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
    const auto now = read(lives, sofar);
    const int compressions = lives.compressions();
    ASSERT_EQ(read(lives, sofar), now) << size;
    ASSERT_EQ(lives.compressions(), compressions) << "once is enough";
    ContextView anew(frame_, rules_, &meter_);
    ASSERT_EQ(read(anew, sofar), now) << size;
    ASSERT_THAT(now.at(0), testing::StartsWith(kNew)) << size;
  }
  EXPECT_GT(lives.compressions(), 1);
}

TEST_F(JobDateTest, StaysWhenASummaryTakesThePlaceOfExtracts) {
  rules_.mode = CompressionMode::Summarize;
  rules_.summary.model = "small";
  round("how many? " + std::string(20'000, 'q'), kNew, 1);
  for (int i = 1; i < 8; ++i) round("question " + std::to_string(i), "", 1);
  const std::vector<Message> all = history();
  ContextView view(frame_, rules_, &meter_);
  view.messages({all});
  ASSERT_NE(view.wanted_summary(), nullptr);
  SummaryRow row;
  row.state = SummaryState::Ready;
  row.content_hash = view.wanted_summary()->content_hash;
  row.text = "short and good";
  const std::vector<SummaryRow> summaries{row};
  std::string read;
  std::int64_t tokens = 0;
  for (const Message* message : view.messages({all, summaries})) {
    tokens += message_tokens(*message, test::quarter_tokens);
    if (const auto* human = std::get_if<HumanMessage>(message)) read += text_for_model(*human);
    if (const auto* system = std::get_if<SystemMessage>(message)) read += system->text + "\n";
  }
  EXPECT_THAT(read, HasSubstr("short and good\n" + told(kNew, "question 1")));
  EXPECT_EQ(view.estimated_tokens(), tokens);
}

TEST_F(JobDateTest, StandsInWhatIsLeftOfTheHistory) {
  rules_.mode = CompressionMode::Truncate;
  round("how many?", kNew, 9);
  round("and before?", "", 9);
  const std::vector<Message> all = history();
  ContextView view(frame_, rules_, &meter_);
  view.messages({all});
  const CompressedHistoryRow left = view.left_of(all);
  EXPECT_THAT(left.kept_json, HasSubstr(kNew));
  EXPECT_THAT(left.kept_json, Not(HasSubstr("how many?")));
}

}  // namespace
}  // namespace ba
