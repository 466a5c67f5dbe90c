// SPDX-License-Identifier: Apache-2.0
// Skills that jobs use, and what is injected into their conversations.
#include "tests/contract/ledger_contract.hpp"

namespace ba {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

SkillUsed skill_used(const Position& position, const std::string& skill, int depth) {
  SkillUsed used;
  used.position = position;
  used.activation_id = depth > 0 ? "activation-" + skill : "";
  used.skill = skill;
  used.hash = "hash of " + skill;
  used.content = R"({"skill":")" + skill + "\"}";
  used.depth = depth;
  return used;
}

MessageRow injected(const ClaimedJob& job, const Position& position) {
  HumanMessage message;
  message.meta = round_opened(job).rounds_opened[0].message.meta;
  message.meta.message_id =
      MessageId("injected-" + std::to_string(position.step) + "." + std::to_string(position.index));
  message.meta.additional_kwargs["isMeta"] = "true";
  message.text = "the instructions";
  return {position, message};
}

/// A call of the first step that has activated a skill.
Delta activation(const ClaimedJob& job) {
  Delta delta = call_finished(job, 1, 0);
  delta.skills_used.push_back(skill_used({0, 1, 1}, "sales", 1));
  delta.messages_injected.push_back(injected(job, {0, 1, 3}));
  return delta;
}

}  // namespace

TEST_F(LedgerContract, AnActivationIsLoadedWithItsContentAndWhatItInjected) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job, 1, 2)));
  ASSERT_TRUE(append(self, activation(job)));
  const auto stored = load(job);
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_THAT(stored->skills, SizeIs(1));
  EXPECT_EQ(stored->skills[0].used, skill_used({0, 1, 1}, "sales", 1));
  EXPECT_EQ(stored->skills[0].done_step, std::nullopt);
  ASSERT_THAT(stored->messages, SizeIs(4));
  EXPECT_EQ(stored->messages[3].position, (Position{0, 1, 3}));
  EXPECT_EQ(stored->messages[3].message, injected(job, {0, 1, 3}).message);
  const auto remains = load_remains(job);
  ASSERT_TRUE(remains);
  ASSERT_THAT(remains->skills, SizeIs(1));
  EXPECT_EQ(remains->skills[0].used.skill, "sales");
  EXPECT_EQ(remains->skills[0].used.content, "");
  EXPECT_THAT(remains->conversation.messages, SizeIs(4));
}

TEST_F(LedgerContract, AnActivationThatIsAppendedAgainChangesNothing) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job, 1, 2)));
  ASSERT_TRUE(append(self, activation(job)));
  const std::string before = rig_->dump();
  ASSERT_TRUE(append(self, activation(job)));
  EXPECT_EQ(rig_->dump(), before);
}

TEST_F(LedgerContract, ASkillThatWasEndedSaysInWhichStep) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job, 1, 2)));
  ASSERT_TRUE(append(self, activation(job)));
  ASSERT_TRUE(append(self, step_replied(job, 2, 1)));
  Delta ended = call_finished(job, 2, 0);
  ended.skills_done.push_back({{0, 1, 1}, 2});
  ASSERT_TRUE(append(self, ended));
  EXPECT_EQ(load(job)->skills.at(0).done_step, 2);
}

TEST_F(LedgerContract, AContentComesOnceHoweverOftenItIsUsedAndByWhichJob) {
  const auto self = enter();
  const auto job = running_job(self, "job-1");
  const auto other = running_job(self, "job-2");
  for (const ClaimedJob& one : {job, other}) {
    Delta opened = round_opened(one);
    opened.skills_used.push_back(skill_used({0, 0, 1}, "sales", 1));
    SkillUsed again = skill_used({0, 0, 2}, "sales", 0);
    again.content = "";
    opened.skills_used.push_back(again);
    opened.messages_injected.push_back(injected(one, {0, 0, 1}));
    ASSERT_TRUE(append(self, opened));
    const auto stored = load(one);
    ASSERT_TRUE(stored) << stored.error().message;
    ASSERT_THAT(stored->skills, SizeIs(2));
    EXPECT_EQ(stored->skills[0].used.content, skill_used({}, "sales", 1).content);
    EXPECT_EQ(stored->skills[1].used.content, "");
    EXPECT_EQ(stored->skills[1].used.depth, 0);
    ASSERT_THAT(stored->messages, SizeIs(2));
  }
}

TEST_F(LedgerContract, AJobWithoutSkillsHasNone) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  EXPECT_THAT(load(job)->skills, IsEmpty());
}

}  // namespace ba
