#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a simulated worker tells: its observers set marks, its log goes into the trace.

#include <string>

#include "pipeline/core/port/log.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/process.hpp"
#include "worker/driver/life_observer.hpp"
#include "worker/driver/silent_observer.hpp"

namespace ba::sim {

class Observer final : public driver::SilentObserver, public driver::LifeObserver {
 public:
  Observer(World& world, Checker& checker, const Process& process)
      : world_(world), checker_(checker), process_(process) {}
  void job_started(const ConversationState& state) override {
    if (state.claim.attempt < 2) return;
    if (!state.skills.known.stack.active().empty()) world_.mark(Mark::SkillTakenOver);
    if (!state.skills.injected.empty()) world_.mark(Mark::SkillMessagesTakenOver);
  }
  void job_handed_back(const ConversationState&) override { world_.mark(Mark::JobHandedBack); }
  void job_waits(const ConversationState&) override { world_.mark(Mark::JobWaited); }
  void summary_ended(const ConversationState&, const std::string&, const SummaryRow& row) override {
    if (row.reused) world_.mark(Mark::SummaryReused);
    if (row.state == SummaryState::Lost) world_.mark(Mark::SummaryLost);
  }
  void summary_refused(const ConversationState&, const std::string&) override {
    world_.mark(Mark::SummaryRefused);
  }
  void context_counted(const ConversationState& state, const ExactCountRow& row,
                       const ExactCount& count) override {
    world_.mark(count.tokens ? Mark::ContextCounted : Mark::CountFailed);
    checker_.counted(state.claim.id, row, process_);
  }
  void committed(const ConversationState&, const Delta& delta) override {
    if (!delta.reminders.empty()) world_.mark(Mark::TaskRepeated);
  }
  void taken_in(const driver::IntakeSummary& summary) override {
    for (std::size_t i = 0; i < summary.dead_letters.size(); ++i)
      world_.mark(Mark::DeadLetterTaken);
  }
  void tool_finished(const ConversationState& state, const CallState& call,
                     const ToolResult& result) override {
    if (result.retry_count > 0) world_.mark(Mark::ToolRetried);
    if (checker_.has_skills()) checker_.call_told(state.claim.id, call, result);
    if (call.call.name == kReadTool) checker_.read_told(state.claim.id, state.job.tenant, result);
    if (call.call.name == kStoreTool && result.artifact_id.empty())
      world_.mark(Mark::ArtifactNotKept);
    if (call.call.name == kFetchTool) checker_.fetch_told(call.call, state.job.tenant, result);
  }
  void fenced() override { world_.mark(Mark::LifeLost); }
  void reaped(int) override {}
  void shard_stopped() override {}
  void published(int) override {}
  void removed(const RemovedRows&) override {}

 private:
  World& world_;
  Checker& checker_;
  const Process& process_;
};

/// Into the trace, when somebody reads it.
class TraceLog final : public Log {
 public:
  TraceLog(World& world, const Process& process) : world_(world), process_(process) {}
  bool enabled(LogLevel) const override { return world_.prints(); }
  void write(LogLevel level, std::string_view text,
             std::initializer_list<LogField> fields) override {
    if (!world_.prints() || level < LogLevel::Info) return;
    std::string line(text);
    for (const LogField& field : fields)
      if (const auto* value = std::get_if<std::string_view>(&field.value))
        line += " " + std::string(field.name) + "=" + std::string(*value);
    world_.note("  log", process_.number(), process_.incarnation.value, line);
  }

 private:
  World& world_;
  const Process& process_;
};

}  // namespace ba::sim
