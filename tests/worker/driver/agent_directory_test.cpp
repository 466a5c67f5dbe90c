// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/agent_directory.hpp"

#include <gtest/gtest.h>

namespace ba::driver {
namespace {

TEST(AgentDirectory, GivesTheContextWindowOfTheModelThatAnswers) {
  RunProfile profile;
  profile.model = "large";
  const AgentDirectory agents({profile}, {{"large", 200'000}, {"small", 8'000}});
  Job job;
  EXPECT_EQ(agents.profile_for(job)->context_window, 200'000);
  job.model = "small";
  const auto chosen = agents.profile_for(job);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->model, "small");
  EXPECT_EQ(chosen->context_window, 8'000);
}

TEST(AgentDirectory, TellsTheModelOfTheFormOfItsAnswers) {
  RunProfile profile;
  profile.model = "large";
  profile.system_prompt = "Be exact.";
  const AgentDirectory agents({profile}, {{"large", 1}});
  Job job;
  EXPECT_EQ(agents.profile_for(job)->system_prompt, "Be exact.");
  job.answer_schema = R"({"type":"object"})";
  const std::string prompt = agents.profile_for(job)->system_prompt;
  EXPECT_TRUE(prompt.starts_with("Be exact.\n\n")) << prompt;
  EXPECT_TRUE(prompt.ends_with(R"({"type":"object"})")) << prompt;
  EXPECT_EQ(agents.profile_for(job)->system_prompt, prompt) << "the same bytes each time";
  job.answer_schema = R"({"type":"text"})";
  const auto refused = agents.profile_for(job);
  ASSERT_FALSE(refused) << "let in by another version";
  EXPECT_TRUE(refused.error().message.starts_with("answer_schema: type"))
      << refused.error().message;
}

TEST(AgentDirectory, NamesTheModelsThereAre) {
  RunProfile profile;
  profile.model = "large";
  const AgentDirectory agents({profile}, {{"large", 1}, {"small", 1}});
  Job job;
  job.model = "huge";
  const auto refused = agents.profile_for(job);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "model 'huge' is not configured; there are: large, small");
}

}  // namespace
}  // namespace ba::driver
