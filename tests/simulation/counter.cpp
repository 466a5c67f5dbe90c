// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/counter.hpp"

#include <algorithm>
#include <iterator>

#include "tests/simulation/checker.hpp"

namespace ba::sim {
namespace {

constexpr int kFailsPermille = 100;
constexpr int kSilentPermille = 60;
constexpr Milliseconds kCounterPause{300};  ///< after a failure

ExactCount not_counted(CountOutcome outcome, const char* why) { return {outcome, {}, why}; }

}  // namespace

std::int64_t counted_percent(const Scenario& scenario) {
  constexpr std::int64_t kPercents[] = {80, 88, 92, 96, 100, 104, 108, 112, 120};
  return kPercents[static_cast<std::size_t>(scenario.strength(Fault::ExactCounts)) %
                   std::size(kPercents)];
}

/// Destroyed, it hears nothing any more; what it asked may still arrive.
class CounterConnection::Call final : public CountCall {
 public:
  Call(CounterConnection& owner, std::int64_t tokens, std::function<void(ExactCount)> done)
      : owner_(owner), done_(std::move(done)) {
    if (owner_.process_.now() < owner_.paused_until_)
      soon_ = owner_.process_.after(Milliseconds(0), [this] {
        answered(not_counted(CountOutcome::Paused, "it failed a moment ago"));
      });
    else
      submit(tokens);
  }

 private:
  void submit(std::int64_t tokens) {
    if (!owner_.process_.acts("ask for a count")) return;
    send<ExactCount>(
        owner_.world_, owner_.process_, owner_.link_,
        [&world = owner_.world_, &model = owner_.model_, tokens](const Reply<ExactCount>& reply) {
          at_provider(world, model.calm(), tokens, reply);
        },
        [this, alive = std::weak_ptr(alive_)](std::optional<ExactCount> answer) {
          if (!alive.lock()) return;
          answered(answer ? std::move(*answer)
                          : not_counted(CountOutcome::Failed, "it did not answer in time"));
        });
  }

  /// Dropped without an answer, the reply tells of the time-out.
  static void at_provider(World& world, bool calm, std::int64_t tokens,
                          const Reply<ExactCount>& reply) {
    if (!calm && world.dice.hit(kSilentPermille)) return;
    ExactCount answer{CountOutcome::Counted, tokens, {}};
    if (!calm && world.dice.hit(kFailsPermille))
      answer = not_counted(CountOutcome::Failed, "it is overloaded");
    const Microseconds takes = world.up_to(100'000);
    world.under_way(takes);
    world.at(takes, [reply, answer] { reply->answer(answer); });
  }

  /// Whoever hears it takes this call away.
  void answered(ExactCount count) {
    if (count.outcome == CountOutcome::Failed)
      owner_.paused_until_ = owner_.process_.now() + kCounterPause;
    const auto done = std::exchange(done_, nullptr);
    done(std::move(count));
  }

  CounterConnection& owner_;
  std::function<void(ExactCount)> done_;
  std::unique_ptr<Timer> soon_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

bool CounterConnection::counts(const std::string& model) const {
  return scenario_.on(Fault::ExactCounts) && model != kSummarizer;
}

std::unique_ptr<CountCall> CounterConnection::count(const ModelRequest& request,
                                                    std::function<void(ExactCount)> done) {
  const ModelQuestion question = model_.question_of(request);
  checker_.count_asked(question, process_);
  const std::int64_t tokens = question.tokens * counted_percent(scenario_) / 100;
  return std::make_unique<Call>(*this, std::max<std::int64_t>(tokens, 1), std::move(done));
}

}  // namespace ba::sim
