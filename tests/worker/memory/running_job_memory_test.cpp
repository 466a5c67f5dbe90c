// SPDX-License-Identifier: Apache-2.0
// What a job takes that runs and waits for its model: its state, its runner and its view of the
// history, without the call itself.
#include "tests/worker/driver/engine_fixture.hpp"
#include "tests/worker/memory/memory_kinds.hpp"

namespace ba::driver {
namespace {

/// Never answers, or once, with a call of the tool `look`. Keeps nothing of what it is asked.
class SilentModel final : public ModelClient {
 public:
  explicit SilentModel(VirtualExecutor& executor) : executor_(executor) {}

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, ModelListener listener) override {
    tools = request.tools;
    auto call = std::make_unique<Call>();
    if (looks && !std::holds_alternative<ToolMessage>(*request.messages.back()))
      call->timer = executor_.after(1ms, [done = std::move(listener.done)] { done(look()); });
    else
      ++unanswered;
    return call;
  }

  bool looks = false;
  int unanswered = 0;
  ToolSpecList tools;  ///< of the last request

 private:
  struct Call final : ModelCall {
    void go_on() override {}
    bool request_out() const override { return true; }
    std::unique_ptr<Timer> timer;
  };

  static ModelReply look() {
    ModelReply reply;
    reply.message.tool_calls.emplace_back().id = ToolCallId("call_1");
    reply.message.tool_calls[0].name = "look";
    reply.stop = StopReason::ToolUse;
    return reply;
  }

  VirtualExecutor& executor_;
};

class RunningJobMemory : public EngineTest {
 protected:
  RunningJobMemory() {
    RunProfile profile;
    profile.model = "silent";
    profile.output_level = OutputLevel::Full;
    std::vector<ToolSpec> tools = registry_.specs({});
    for (ToolSpec& tool : usual_tools()) tools.push_back(std::move(tool));
    profile.tools = std::move(tools);
    agents_ = AgentDirectory({profile}, {{"silent", 1'000'000}});
  }

  /// That so many running jobs give back when their engine goes.
  std::int64_t bytes_of(int jobs) {
    const int asked = model_.unanswered + jobs;
    EngineOptions options;
    options.running_max = 2 * jobs;
    options.window.jobs_max = options.window.waiting_max = 10 * jobs;
    EngineHooks hooks;
    hooks.fenced = [] {};
    hooks.outbox_written = [](int) {};
    hooks.lease_holds = [] { return true; };
    IncarnationId self;
    ledger_.enter({"w", "h", 1, "v"}, 1000s, [&](auto id) { self = id.value(); });
    executor_.run_for(0ms);
    RecordingSource source;
    auto engine = std::make_unique<Engine>(ports_, decoder(), options, std::move(hooks));
    engine->start(self, &source);
    std::vector<std::string> ids;
    for (int i = 0; i < jobs; ++i) ids.push_back("job-" + std::to_string(offset_ + i));
    engine->take(records(std::move(ids)));
    EXPECT_TRUE(executor_.run_until([&] { return model_.unanswered == asked; }, 60s));
    EXPECT_EQ(engine->running(), jobs);
    const std::int64_t before = live_bytes();
    engine.reset();
    return before - live_bytes();
  }

  /// Without what an engine takes.
  std::int64_t bytes_of_many() {
    const std::int64_t few = bytes_of(kMany / 2);
    return bytes_of(kMany / 2 + kMany) - few;
  }

  SilentModel model_{executor_};
  RunnerPorts ports_{executor_, executor_, ledger_,      model_,    tools_,
                     registry_, agents_,   publication_, observer_, "test"};
};

TEST_F(RunningJobMemory, IsAFewKilobytes) {
  EXPECT_LE(tell_bytes("running_job", bytes_of_many(), kMany), 6 << 10);
}

TEST_F(RunningJobMemory, HoldsAResultOnce) {
  const std::int64_t without = bytes_of_many();
  constexpr std::int64_t kResult = 10'000;
  tool_->data = "\"" + texts_of(kResult) + "\"";
  model_.looks = true;
  const std::int64_t with = bytes_of_many();
  EXPECT_GE((with - without) / kMany, kResult);
  EXPECT_LE((with - without) / kMany, 2 * kResult - 1'000);
}

TEST_F(RunningJobMemory, WouldBeFarMoreWithToolsOfItsOwn) {
  const std::int64_t before = live_bytes();
  const std::vector<ToolSpec> tools = usual_tools();
  EXPECT_GT(tell_bytes("tools_of_an_agent", live_bytes() - before, 1), 32 << 10);
}

TEST_F(RunningJobMemory, ItsToolsAreThoseOfAllJobsOfTheAgent) {
  bytes_of(2);
  EXPECT_EQ(model_.tools.size(), usual_tools().size() + 1);
  const ToolSpecList first = model_.tools;
  bytes_of(2);
  EXPECT_TRUE(model_.tools.is(first));
}

}  // namespace
}  // namespace ba::driver
