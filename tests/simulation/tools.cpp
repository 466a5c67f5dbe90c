// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/tools.hpp"

#include "pipeline/base/assert.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/served_tools.hpp"

namespace ba::sim {
namespace {

constexpr const char* kSchema =
    R"({"type":"object","properties":{"for":{"type":"string"}},"required":["for"]})";

constexpr const char* kFetchSchema =
    R"({"type":"object","properties":{"artifact_id":{"type":"string","x-artifact":true}},
        "required":["artifact_id"]})";

struct ToolRow {
  const char* name;
  EffectClass effect;
  Milliseconds timeout;  ///< some before the connection gives up, some after
};
constexpr ToolRow kTools[] = {{"look", EffectClass::Pure, Milliseconds(400)},
                              {"pay", EffectClass::Keyed, Milliseconds(200)},
                              {kReadTool, EffectClass::Pure, Milliseconds(400)},
                              {kStoreTool, EffectClass::Pure, Milliseconds(400)},
                              {kFetchTool, EffectClass::Pure, Milliseconds(400)},
                              {"ticket", EffectClass::Reconcilable, Milliseconds(500)},
                              {"mail", EffectClass::Once, Milliseconds(250)}};

RawToolResult failed(ToolErrorType type) {
  RawToolResult result;
  result.error = ToolError{type, "SIMULATED", "the tool failed"};
  return result;
}

std::string data_for(const ToolInvocation& call) {
  return "{\"for\":\"" + call.tenant.value + "\",\"rows\":[1,2]}";
}

/// Each run of `read` and `store` says which one it is.
std::string read_data(ToolStage& stage, const ToolInvocation& call) {
  const int run = ++stage.reads;
  stage.checker.read_ran(run, call);
  return "{\"for\":\"" + call.tenant.value + "\",\"run\":" + std::to_string(run) + "}";
}

std::string answer_to(ToolStage& stage, const ToolInvocation& call) {
  if (call.tool_name == kReadTool || call.tool_name == kStoreTool) return read_data(stage, call);
  if (call.tool_name == kFetchTool) return call.artifacts.begin()->second;
  return data_for(call);
}

/// What the server knows of a call. A request of it may still be on its way, so that it never says
/// that the call did not happen.
EffectStatus status_of(const ToolStage& stage, const ToolInvocation& call) {
  EffectStatus status;
  if (!stage.done.contains(call.idempotency_key)) return status;
  status.verdict = EffectStatus::Verdict::Happened;
  status.result.data = data_for(call);
  return status;
}

/// The tool's own server: runs the call, or fails before any effect.
void serve(ToolStage& stage, EffectClass effect, const ToolInvocation& call,
           const Reply<RawToolResult>& reply) {
  if (!stage.calm && stage.world.dice.hit(stage.scenario.strength(Fault::ToolFails)))
    return reply->answer(failed(ToolErrorType::TransientError));
  const bool fresh = effect != EffectClass::Keyed || stage.keys.insert(call.idempotency_key).second;
  if (!fresh) stage.world.mark(Mark::ToolRepeatedWithKey);
  if (effect != EffectClass::Pure) stage.checker.tool_ran(effect, call, fresh);
  if (effect != EffectClass::Pure) stage.done.insert(call.idempotency_key);
  RawToolResult result;
  result.data = answer_to(stage, call);
  const bool slow = !stage.calm && stage.world.dice.hit(stage.scenario.strength(Fault::ToolSlow));
  const std::int64_t usually_us = call.tool_name == kReadTool ? 150'000 : 20'000;
  const Microseconds takes = stage.world.up_to(slow ? 900'000 : usually_us);
  stage.world.under_way(takes);
  stage.world.at(takes, [reply, result = std::move(result)]() mutable { reply->answer(result); });
}

}  // namespace

class ToolBox::SimulatedTool final : public Tool, public StatusSource {
 public:
  SimulatedTool(ToolBox& box, const ToolRow& row, Mutant mutant) : box_(box), effect_(row.effect) {
    descriptor_.name = row.name;
    descriptor_.description = row.name;
    descriptor_.parameters_schema =
        row.name == std::string_view(kFetchTool) ? kFetchSchema : kSchema;
    descriptor_.effect = row.effect;
    descriptor_.timeout = row.timeout;
    descriptor_.may_be_cached = row.name == std::string_view(kReadTool);
    if (descriptor_.may_be_cached) descriptor_.cache_policy = CachePolicy::TtlMedium;
    if (mutant == Mutant::ClassIgnored && row.effect == EffectClass::Once)
      descriptor_.effect = EffectClass::Keyed;
  }

  const ToolDescriptor& descriptor() const override { return descriptor_; }

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override {
    return std::make_unique<Run>(*box_.stage_, effect_, std::move(invocation), std::move(done));
  }

  StatusSource* status_source() override {
    return descriptor_.effect == EffectClass::Reconcilable ? this : nullptr;
  }

  std::unique_ptr<ToolRun> status(ToolInvocation invocation,
                                  std::function<void(EffectStatus)> done) override {
    return std::make_unique<Question>(*box_.stage_, std::move(invocation), std::move(done));
  }

 private:
  class Question final : public ToolRun {
   public:
    Question(ToolStage& stage, ToolInvocation call, std::function<void(EffectStatus)> done)
        : done_(std::move(done)) {
      Process* process = stage.world.current();
      BA_ASSERT(process);
      if (!process->acts("ask a tool")) return;
      send<EffectStatus>(
          stage.world, *process, stage.link,
          [&stage, call = std::move(call)](const Reply<EffectStatus>& reply) {
            stage.world.at(stage.world.up_to(20'000),
                           [&stage, call, reply] { reply->answer(status_of(stage, call)); });
          },
          [this, alive = std::weak_ptr(alive_)](std::optional<EffectStatus> answer) {
            if (!alive.lock()) return;
            const auto done = std::move(done_);
            EffectStatus lost;
            lost.result = failed(ToolErrorType::TransientError);
            done(answer ? std::move(*answer) : lost);
          });
    }

   private:
    std::function<void(EffectStatus)> done_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  };

  class Run final : public ToolRun {
   public:
    Run(ToolStage& stage, EffectClass effect, ToolInvocation call,
        std::function<void(RawToolResult)> done)
        : done_(std::move(done)) {
      Process* process = stage.world.current();
      BA_ASSERT(process);
      stage.checker.tool_asked(call, *process);
      const std::string key = call.idempotency_key;
      if (stage.mutant == Mutant::KeyPerTry)
        call.idempotency_key += "#" + std::to_string(++stage.tries);
      if (!process->acts("run tool")) return;
      int& under_way = stage.under_way[key];
      ++under_way;
      const Fate fate = send<RawToolResult>(
          stage.world, *process, stage.link,
          [&stage, effect, key, call = std::move(call)](const Reply<RawToolResult>& reply) {
            --stage.under_way[key];
            serve(stage, effect, call, reply);
          },
          [this, &stage, effect,
           alive = std::weak_ptr(alive_)](std::optional<RawToolResult> answer) {
            if (!alive.lock()) return;
            const auto done = std::move(done_);
            done(answer ? std::move(*answer) : lost(stage, effect));
          });
      if (fate == Fate::Lost) --under_way;
    }

   private:
    static RawToolResult lost(ToolStage& stage, EffectClass effect) {
      stage.world.mark(Mark::ToolOutcomeUnknown);
      if (effect == EffectClass::Pure || stage.mutant == Mutant::UnknownIsFailure)
        return failed(ToolErrorType::Timeout);
      RawToolResult result;
      result.outcome_unknown = true;
      return result;
    }

    std::function<void(RawToolResult)> done_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  };

  ToolBox& box_;
  EffectClass effect_;
  ToolDescriptor descriptor_;
};

Process& HostOfProcess::process() const {
  Process* process = stage_->world.current();
  BA_ASSERT(process);
  return *process;
}

std::unique_ptr<ToolRun> HostOfProcess::start(SubAgentRequest request,
                                              std::function<void(SubAgentAnswer)> done) {
  return host().start(std::move(request), std::move(done));
}

std::unique_ptr<ToolRun> HostOfProcess::start(SkillRequest request,
                                              std::function<void(SkillHost::Answer)> done) {
  return process().skills.start(std::move(request), std::move(done));
}

void HostOfProcess::post(std::function<void()> task) { process().post(std::move(task)); }

std::unique_ptr<Timer> HostOfProcess::after(Milliseconds delay, std::function<void()> task) {
  return process().after(delay, std::move(task));
}

ToolBox::ToolBox(Mutant mutant) {
  const SubAgentTypes types{{"default", {"helper"}}};
  BA_ASSERT(registry_.add(std::make_unique<TaskTool>(types, std::chrono::hours(1), desk_, host_))
                .has_value());
  BA_ASSERT(registry_.add(std::make_unique<ActivateSkillTool>(host_)).has_value());
  BA_ASSERT(registry_.add(std::make_unique<DeactivateSkillTool>(host_)).has_value());
  for (const ToolRow& row : kTools)
    BA_ASSERT(registry_.add(std::make_unique<SimulatedTool>(*this, row, mutant)).has_value());
  BA_ASSERT(registry_.add(stand_in(stage_, kSendTool, EffectClass::Once)).has_value());
  BA_ASSERT(registry_.add(stand_in(stage_, kAskTool, EffectClass::Pure)).has_value());
}

}  // namespace ba::sim
