// SPDX-License-Identifier: Apache-2.0
// What a sub-agent is given, what it answers and what it costs.
#include "pipeline/text/message/job_time.hpp"
#include "tests/support/fake_artifact_store.hpp"
#include "tests/worker/driver/sub_agent_fixture.hpp"
#include "worker/driver/sub_agent_terms.hpp"

namespace ba::driver {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST_F(SubAgentTest, ItsFinalAnswerIsTheObservationAndItsIdTheLastLine) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  ASSERT_THAT(sub_agents(), SizeIs(1));
  const std::string id =
      sub_agents()[0]->intake.job.conversation_id.value.substr(kSubAgentPrefix.size());
  EXPECT_THAT(id, SizeIs(16));
  EXPECT_EQ(observation("a"), "the answer\n\nagentId: " + id + " (for resuming)");
}

TEST_F(SubAgentTest, ALongAnswerIsReadWhole) {
  asks = {{task(1, "writer")}};
  const std::string text(5000, 'x');
  model_.script = [this, text](const ModelRequest& request) {
    auto message = reply(request);
    if (request.system == kPromptOfWriter) message->text = text;
    return message;
  };
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(observation("a"), StartsWith(text + "\n\nagentId: "));
}

TEST_F(SubAgentTest, KnowsItsPromptAndNothingElseOfTheConversation) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(prompts, ElementsAre("look at part 1", "look at part 1"));
  const Job& own = sub_agents()[0]->intake.job;
  EXPECT_EQ(own.tenant, TenantId("acme"));
  EXPECT_EQ(own.agent, "explorer");
  EXPECT_EQ(own.metadata.at("description"), "look around");
}

class GivenAnArtifact : public SubAgentTest {
 protected:
  GivenAnArtifact() {
    registry_.remove(kTaskTool);
    EXPECT_TRUE(
        registry_.add(std::make_unique<TaskTool>(SubAgentTypes{{"default", {"explorer", "writer"}}},
                                                 1h, desk_, executor_, HandOverLimits{})));
    tools_.keep_artifacts({store_});
    const std::string named = std::string(R"(,"artifact_id":")") + kId + "\"";
    asks = {{task(1, "explorer", named)}};
    store_.artifacts[{"acme", kId}] = {R"([{"a":1},{"a":2}])", executor_.now(), executor_.now()};
    store_.references.insert({{"acme", kId}, 1, {0, 0, 0}});
  }

  static constexpr const char* kId = "artifact_00112233445566778899aabbccddeeff";
  FakeArtifactStore store_{executor_, executor_};
};

TEST_F(GivenAnArtifact, ASubAgentWhoseToolsReadNoneReadsTheDataInItsQuestion) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(prompts, ElementsAre("look at part 1\n\nData for this task:\n[2]{a}:\n  1\n  2",
                                   "look at part 1\n\nData for this task:\n[2]{a}:\n  1\n  2"));
}

TEST_F(GivenAnArtifact, ASubAgentWithSuchAToolIsToldTheIdAndTheSummary) {
  auto reader = std::make_unique<LookTool>(executor_);
  reader->takes_artifacts();
  ASSERT_TRUE(registry_.add(std::move(reader)));
  set_agents();
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  ASSERT_THAT(prompts, SizeIs(2));
  EXPECT_THAT(prompts[0], HasSubstr(std::string("stored as artifact: ") + kId + " (17 bytes)"));
  EXPECT_THAT(prompts[0], HasSubstr("read (artifact_id)"));
  EXPECT_THAT(prompts[0], EndsWith("Data summary: List with 2 items. First item keys: ['a']"));
}

TEST_F(GivenAnArtifact, AnAgentWithoutSuchAToolIsToldOfNoArtifact) {
  const auto asked_for_full = [&](bool of_explorer) {
    ToolCall look;
    look.id = ToolCallId("look_1");
    look.name = "look";
    look.args_json = R"({"output_level":"full"})";
    asks = {{look}};
    if (of_explorer) {
      asks = {{task(1, "explorer")}};
      explorer_asks = look;
    }
  };
  asked_for_full(false);
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(observation("a"), HasSubstr("Data stored as artifact: ")) << "it has `task`";
  asked_for_full(true);
  explorer_.limits.steps_per_round_max = 2;
  set_agents();
  auto next = taken_over_from(*life);
  next->engine->take(records({"b"}));
  ASSERT_TRUE(run_until_done("b"));
  ASSERT_THAT(sub_agents(), SizeIs(1));
  std::vector<std::string> read;
  for (const auto& [position, message] : sub_agents()[0]->messages)
    if (const auto* tool = std::get_if<ToolMessage>(&message)) read.push_back(tool->content);
  ASSERT_FALSE(read.empty());
  EXPECT_EQ(read.front(), look_at(OutputLevel::Full));
  for (const std::string& text : read) EXPECT_THAT(text, Not(HasSubstr("artifact")));
}

TEST_F(GivenAnArtifact, AfterACrashTheSameSubAgentGoesOnWithTheSameQuestion) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(2));
  auto next = taken_over_from(*life);
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(sub_agents(), SizeIs(1));
  for (const std::string& prompt : prompts) EXPECT_EQ(prompt, prompts[0]);
  EXPECT_THAT(sub_agents()[0]->intake.job.messages.front(), EndsWith("[2]{a}:\n  1\n  2"));
}

TEST_F(SubAgentTest, PublishesNothing) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  for (const FakeOutboxRow& row : ledger_.outbox())
    EXPECT_THAT(row.record.key, HasSubstr("/a")) << row.record.topic;
  EXPECT_TRUE(sub_agents()[0]->finished->outbox.empty());
}

TEST_F(SubAgentTest, ItsTokensAreInTheAskingJobsBill) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_EQ(model_.asked, 4) << "two of the job, two of the sub-agent";
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), 40);
  EXPECT_EQ(sub_agents()[0]->finished->result.totals.usage.total(), 20);
  EXPECT_EQ(job("a").finished->result.totals.steps, 2) << "its own";
}

TEST_F(SubAgentTest, SeveralOfOneReplyRunAtTheSameTimeOverAndAboveTheSlots) {
  asks = {{task(1, "explorer"), task(2, "explorer"), task(3, "writer")}};
  auto life = begin(1);
  life->engine->take(records({"a"}));
  const SteadyTime start = executor_.now();
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(sub_agents(), SizeIs(3));
  EXPECT_LT(executor_.now() - start, 5s) << "1 s a model call: the job's two, the explorers' two";
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), 70);
}

TEST_F(SubAgentTest, HasNoSubAgentsOfItsOwn) {
  explorer_asks = task(9, "writer");
  explorer_.limits.steps_per_round_max = 3;
  set_agents();
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(sub_agents(), SizeIs(1));
  EXPECT_FALSE(tools_of[std::string(kPromptOfExplorer)].contains("task"));
  const FakeJob& own = *sub_agents()[0];
  for (const auto& [position, call] : own.calls) EXPECT_EQ(call.state, ToolCallState::Failed);
}

TEST_F(SubAgentTest, ThatEndsEarlyIsAnErrorThatTheAskingModelReads) {
  explorer_asks = task(9, "writer");
  explorer_.limits.steps_per_round_max = 2;
  set_agents();
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  EXPECT_THAT(observation("a"), HasSubstr("Error Code: SUB_AGENT_STEP_LIMIT"));
  EXPECT_THAT(observation("a"), HasSubstr("agentId: "));
}

TEST_F(SubAgentTest, OfAnotherTypeThanAllowedIsRefused) {
  asks = {{task(1, "default")}, {task(2, "nobody")}};
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(sub_agents(), SizeIs(0));
  EXPECT_THAT(observation("a"), HasSubstr("Error Type: permission_denied"));
  EXPECT_THAT(observation("a"), HasSubstr("there are: explorer, writer"));
}

TEST_F(SubAgentTest, MayNoMoreThanTheAskingAgent) {
  default_.permission = PermissionLevel::Restricted;
  explorer_.permission = PermissionLevel::Admin;
  set_agents();  // the tool `look` needs Default
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_TRUE(tools_of[std::string(kPromptOfExplorer)].empty());
  EXPECT_TRUE(tool_->keys.empty());
}

TEST_F(SubAgentTest, AnAgentsCallsNameItsOwnDataSourcesOnly) {
  tool_->has_sources();
  ToolCall look;
  look.id = ToolCallId("look_1");
  look.name = "look";
  asks = {{look}};
  int jobs = 0;
  for (const auto& [source, runs] : {std::pair("db:other", 0U), std::pair("db:here", 1U)}) {
    default_.data_sources = {source};
    set_agents();
    auto life = begin();
    life->engine->take(records({source}));
    ASSERT_TRUE(run_until_finished(++jobs));
    EXPECT_EQ(tool_->keys.size(), runs) << source;
    EXPECT_EQ(model_.tool_description, runs == 0 ? "looks" : "looks\n\nDb here");
    life->engine->drop();
  }
}

TEST_F(SubAgentTest, NamesNoDataSourceThatTheAskingAgentMayNotName) {
  tool_->has_sources();
  default_.data_sources = {"db:other"};
  set_agents();
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_TRUE(tool_->keys.empty()) << "though its own profile allows every one";
}

TEST_F(SubAgentTest, IsToldTheDateOfTheAskingJobInItsOwnAgentsWay) {
  std::set<std::string> told;
  executor_.run_for(24h - 10s);
  model_.delay = 20s;  // the asking model thinks into another day
  model_.script = [&](const ModelRequest& request) {
    if (request.system != "You ask.")
      told.insert(text_for_model(std::get<HumanMessage>(*request.messages.front())));
    return reply(request);
  };
  default_.tell_time = false;
  set_agents();
  auto life = begin(10, 1h);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  const auto day = std::chrono::floor<std::chrono::days>(*job("a").first_claimed_at);
  ASSERT_NE(day, std::chrono::floor<std::chrono::days>(*sub_agents().at(0)->first_claimed_at));
  EXPECT_THAT(told, ElementsAre(job_time_line(day, "UTC") + "\n\nlook at part 1"));
}

TEST(SubAgentProfile, HasTheDataSourcesThatBothMayName) {
  const ToolRegistry none;
  using Sources = std::optional<std::set<std::string>>;
  const auto both = [&](Sources own, Sources asking) {
    RunProfile profile;
    profile.data_sources = std::move(own);
    return sub_agent_profile(profile, {PermissionLevel::Default, std::move(asking)}, none)
        .data_sources;
  };
  EXPECT_EQ(both(std::nullopt, std::nullopt), std::nullopt);
  EXPECT_EQ(both(std::nullopt, Sources({"a"})), Sources({"a"}));
  EXPECT_EQ(both(Sources({"a"}), std::nullopt), Sources({"a"}));
  EXPECT_EQ(both(Sources({"a", "b"}), Sources({"b", "c"})), Sources({"b"}));
}

TEST_F(SubAgentTest, IsResumedByItsId) {
  auto life = begin();
  model_.script = [this](const ModelRequest& request) {
    if (request.system == "You ask." && request.messages.size() == 3) {
      const auto& told = std::get<ToolMessage>(*request.messages.back()).content;
      const std::string id = told.substr(told.find("agentId: ") + 9, 16);
      asks.push_back({task(2, "explorer", R"(,"agent_id":")" + id + "\"")});
    }
    return reply(request);
  };
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  ASSERT_THAT(sub_agents(), SizeIs(2));
  EXPECT_EQ(sub_agents()[0]->conversation, sub_agents()[1]->conversation);
  EXPECT_EQ(sub_agents()[1]->finished->result.outcome, Outcome::Completed);
  EXPECT_EQ(job("a").finished->result.totals.usage.total(), 70);
}

TEST_F(SubAgentTest, ThatIsNotThereIsNotResumed) {
  asks = {{task(1, "explorer", R"(,"agent_id":"0123456789abcdef")")}};
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(observation("a"), HasSubstr("Error Code: AGENT_NOT_FOUND"));
  EXPECT_THAT(sub_agents(), SizeIs(0));
}

TEST_F(SubAgentTest, HasNoMoreTokensThanTheAskingJobHasLeft) {
  default_.limits.tokens_max = 35;
  set_agents();
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_EQ(sub_agents()[0]->intake.job.limits.tokens_max, 25);
}

TEST_F(SubAgentTest, ThoseOfOneReplyShareWhatIsLeft) {
  default_.limits.tokens_max = 45;
  set_agents();
  asks = {{task(1, "explorer"), task(2, "explorer"), task(3, "explorer")}};
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::TokenLimit);
  const JobTotals& totals = job("a").finished->result.totals;
  EXPECT_EQ(totals.usage.total() + 10 * totals.wasted_model_calls, 10 * model_.asked);
  EXPECT_LE(model_.asked, 7) << "whatever was asked at once when the limit was reached";
  for (const FakeJob* own : sub_agents()) EXPECT_EQ(own->state, JobState::Finished);
}

TEST_F(SubAgentTest, EndsWithTheDeadlineOfTheAskingJob) {
  default_.limits.deadline = 2500ms;
  set_agents();
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_done());
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::DeadlineExceeded);
  ASSERT_THAT(sub_agents(), SizeIs(1));
  EXPECT_EQ(sub_agents()[0]->state, JobState::Finished);
  EXPECT_LE(sub_agents()[0]->intake.job.limits.deadline, 1500ms);
}

TEST_F(SubAgentTest, UsesTheToolsThatItsJobIsAllowed) {
  auto life = begin();
  RawRecord record = records({"a"})[0];
  life->engine.reset();
  EngineOptions options;
  EngineHooks hooks;
  hooks.fenced = [] {};
  hooks.outbox_written = [](int) {};
  hooks.lease_holds = [] { return true; };
  Engine engine(
      ports_,
      [this](RawRecord raw) -> IntakeRecord {
        auto decoded = std::get<IntakeJob>(decoder()(std::move(raw)));
        decoded.job.allowed_tools = {"task"};
        decoded.payload = encode_job(decoded.job);
        return decoded;
      },
      options, hooks);
  engine.start(life->id, nullptr);
  engine.take({record});
  ASSERT_TRUE(run_until_done());
  EXPECT_THAT(observation("a"), HasSubstr("allowed_tools have no tool of agent 'explorer'"));
  EXPECT_THAT(sub_agents(), SizeIs(0));
}

}  // namespace ba::driver
