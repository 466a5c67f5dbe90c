// SPDX-License-Identifier: Apache-2.0
#include "tests/support/effect_tools.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/support/effect_journal.hpp"
#include "tests/support/timed_run.hpp"
#include "worker/version/version.hpp"

namespace ba {
namespace {

using Journal = std::shared_ptr<const EffectJournal>;
using Json = nlohmann::json;

RawToolResult done() {
  RawToolResult result;
  result.data = R"("done")";
  return result;
}

RawToolResult barred() {
  RawToolResult result;
  result.error = {ToolErrorType::TransientError, "BARRED", "A question came before this request."};
  result.never_happened = true;
  return result;
}

/// What no handler can catch, as of a bug in a tool.
void die() {
  std::fputs("deadly tool\n", stderr);
  ::kill(::getpid(), SIGKILL);
}

class EffectTool : public Tool {
 public:
  EffectTool(const std::string& what, EffectClass effect, Executor& executor, Journal journal,
             std::function<void()> happened)
      : executor_(executor),
        journal_(std::move(journal)),
        happened_(std::move(happened)),
        what_(what) {
    descriptor_.name = "effect_" + what;
    descriptor_.version = program_version();
    descriptor_.description = "Has an effect that is counted.";
    descriptor_.parameters_schema =
        R"({"type":"object","properties":{"what":{"type":"string"}},"required":["what"]})";
    descriptor_.effect = effect;
  }

  const ToolDescriptor& descriptor() const override { return descriptor_; }

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> answered) override {
    auto act = [this, line = line_of(invocation)] {
      journal_->append(line);
      happened_();
      return done();
    };
    return std::make_unique<TimedRun<RawToolResult>>(executor_, std::move(act),
                                                     std::move(answered));
  }

 protected:
  Json line_of(const ToolInvocation& invocation) const {
    return {{"class", what_},
            {"job", invocation.job.value},
            {"round", invocation.position.round},
            {"step", invocation.position.step},
            {"idx", invocation.position.index},
            {"key", invocation.idempotency_key}};
  }

  Executor& executor_;
  Journal journal_;
  std::function<void()> happened_;

 private:
  std::string what_;
  ToolDescriptor descriptor_;
};

/// Its receiver is the journal, which can be asked (effect_journal.hpp).
class ReconcilableTool final : public EffectTool, public StatusSource {
 public:
  ReconcilableTool(Executor& executor, Journal journal, std::function<void()> happened)
      : EffectTool("reconcilable", EffectClass::Reconcilable, executor, std::move(journal),
                   std::move(happened)) {}

  StatusSource* status_source() override { return this; }

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> answered) override {
    Json line = line_of(invocation);
    line["questions"] = journal_->standing(invocation.idempotency_key).questions;
    auto act = [this, line = std::move(line)] {
      journal_->append(line);
      happened_();
      return journal_->standing(line.at("key")).happened > 0 ? done() : barred();
    };
    return std::make_unique<TimedRun<RawToolResult>>(executor_, std::move(act),
                                                     std::move(answered));
  }

  std::unique_ptr<ToolRun> status(ToolInvocation invocation,
                                  std::function<void(EffectStatus)> answered) override {
    auto act = [this, key = invocation.idempotency_key] {
      using enum EffectStatus::Verdict;
      journal_->append({{"class", "question"}, {"key", key}});
      if (journal_->standing(key).happened > 0) return EffectStatus{Happened, done()};
      return EffectStatus{DidNotHappen, {}};
    };
    return std::make_unique<TimedRun<EffectStatus>>(executor_, std::move(act), std::move(answered));
  }
};

}  // namespace

Result<void> add_effect_tools(ToolRegistry& registry, Executor& executor,
                              const std::string& journal, std::function<void()> happened) {
  const auto shared = EffectJournal::open(journal);
  if (!shared) return shared.error();
  for (const EffectClass effect : {EffectClass::Pure, EffectClass::Keyed, EffectClass::Once}) {
    auto tool = std::make_unique<EffectTool>(std::string(to_string(effect)), effect, executor,
                                             *shared, happened);
    if (auto added = registry.add(std::move(tool)); !added) return added;
  }
  auto deadly = std::make_unique<EffectTool>("deadly", EffectClass::Pure, executor, *shared, die);
  if (auto added = registry.add(std::move(deadly)); !added) return added;
  return registry.add(std::make_unique<ReconcilableTool>(executor, *shared, std::move(happened)));
}

}  // namespace ba
