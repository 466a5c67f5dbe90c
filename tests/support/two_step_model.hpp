#pragma once
// SPDX-License-Identifier: Apache-2.0
// A model under virtual time: answers after `delay`, the first call of a round with a call of the
// tool `look`, the next with text.

#include <functional>
#include <optional>
#include <utility>

#include "pipeline/core/model/model_client.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {

class TwoStepModel final : public ModelClient {
 public:
  static constexpr Milliseconds kUsualTimeout{60'000};

  explicit TwoStepModel(VirtualExecutor& executor) : executor_(executor) {}

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, ModelListener listener) override {
    if (!request.tools.empty()) tool_description = request.tools[0].description;
    Call::Fate fate;
    if (refuses) fate.refusal = refuses(request);
    if (too_long) fate.too_long = too_long(request);
    if (no_room) fate.no_room = no_room(request);
    fate.rests = rests && rests(request);
    if (hangs && hangs(request))
      fate.lost_after = request.timeout.count() > 0 ? request.timeout : kUsualTimeout;
    return std::make_unique<Call>(*this, std::move(listener), reply_to(request), fate);
  }

  /// What is answered to a request, in place of the two steps; none: those.
  std::function<std::optional<AiMessage>(const ModelRequest&)> script;
  /// With what a request fails for good; none: it doesn't.
  std::function<std::optional<Error>(const ModelRequest&)> refuses;
  /// Whether a request is refused as too long, unpaid, and what is said of it.
  std::function<std::optional<ContextRefusal>(const ModelRequest&)> too_long;
  /// Whether a reply finds no room, which is paid, and what is said of it.
  std::function<std::optional<ContextRefusal>(const ModelRequest&)> no_room;
  /// Whether a request is never answered: each of its tries is lost when its time is over.
  std::function<bool(const ModelRequest&)> hangs;
  /// Whether a request's first try is refused; the next comes after `backoff`.
  std::function<bool(const ModelRequest&)> rests;
  int timed_out = 0;  ///< so many tries were lost that way
  int asked = 0;      ///< tries
  int losses = 0;     ///< so many of the next tries are lost
  int failures = 0;   ///< so many of the next tries are refused; the next comes after `backoff`
  Milliseconds backoff{60'000};
  int tries_max = 3;
  std::string tool_description;  ///< as of the last question
  Milliseconds delay{1000};
  std::int64_t input_tokens = 10;       ///< of each reply
  std::optional<InputPrices> prices{};  ///< and nothing for its output; none: not known

 private:
  class Call final : public ModelCall {
   public:
    /// What becomes of it in place of its reply.
    struct Fate {
      std::optional<Error> refusal{};
      std::optional<ContextRefusal> too_long{};
      std::optional<ContextRefusal> no_room{};
      std::optional<Milliseconds> lost_after{};
      bool rests = false;
    };

    Call(TwoStepModel& model, ModelListener listener, ModelReply reply, Fate fate)
        : model_(model),
          listener_(std::move(listener)),
          reply_(std::move(reply)),
          fate_(std::move(fate)) {
      submit();
    }

    void go_on() override {
      if (reply_.tries < model_.tries_max) return submit();
      timer_ = model_.executor_.after(Milliseconds(0), [this] {
        Error error;
        error.code = ErrorCode::Timeout;
        end(ModelFailure{std::move(error), reply_.tries, reply_.wasted_calls});
      });
    }

    bool request_out() const override { return out_; }

   private:
    void submit() {
      ++model_.asked;
      out_ = true;
      reply_.tries = reply_.wasted_calls + 1;
      timer_ = model_.executor_.after(fate_.lost_after.value_or(model_.delay),
                                      [this] { fate_.lost_after ? timed_out() : answered(); });
    }

    void timed_out() {
      out_ = false;
      ++model_.timed_out;
      lose();
    }

    void answered() {
      out_ = false;
      if (fate_.refusal)
        return end(ModelFailure{*fate_.refusal, reply_.tries, reply_.wasted_calls});
      if (fate_.too_long) {
        reply_.message = {};
        reply_.stop = StopReason::ContextExceeded;
        reply_.refused = fate_.too_long;
        return end(std::move(reply_));
      }
      if (fate_.no_room) {
        reply_.message.text.clear();
        reply_.message.tool_calls.clear();
        reply_.stop = StopReason::ContextExceeded;
        reply_.told = *fate_.no_room;
        return end(std::move(reply_));
      }
      if (fate_.rests && !rested_) {
        rested_ = true;
        timer_ = model_.executor_.after(model_.backoff, [this] { submit(); });
        return;
      }
      if (model_.failures > 0) {
        --model_.failures;
        timer_ = model_.executor_.after(model_.backoff, [this] { submit(); });
        return;
      }
      if (model_.losses == 0) return end(std::move(reply_));
      --model_.losses;
      lose();
    }

    void lose() {
      ++reply_.wasted_calls;
      const auto lost = listener_.lost;  // which may destroy this call
      lost();
    }

    void end(ModelOutcome outcome) {
      const auto done = std::move(listener_.done);  // which may destroy this call
      done(std::move(outcome));
    }

    TwoStepModel& model_;
    ModelListener listener_;
    bool out_ = false;
    bool rested_ = false;
    ModelReply reply_;
    const Fate fate_;
    std::unique_ptr<Timer> timer_;
  };

  ModelReply reply_to(const ModelRequest& request) const {
    ModelReply reply = unpriced_reply_to(request);
    if (!prices) return reply;
    const Usage& usage = reply.message.usage;
    reply.input_prices = prices;
    reply.cost_micro_usd =
        (usage.input_tokens * prices->input + usage.cache_read_tokens * prices->cache_read +
         usage.cache_write_tokens * prices->cache_write + 500'000) /
        1'000'000;
    return reply;
  }

  ModelReply unpriced_reply_to(const ModelRequest& request) const {
    ModelReply reply;
    reply.provider = "fake";
    reply.model = "two-step";
    if (auto scripted = script ? script(request) : std::nullopt) {
      reply.message = std::move(*scripted);
      if (!reply.message.tool_calls.empty()) reply.stop = StopReason::ToolUse;
      reply.message.usage.input_tokens = input_tokens;
      return reply;
    }
    reply.message.usage.input_tokens = input_tokens;
    if (std::holds_alternative<ToolMessage>(*request.messages.back())) {
      reply.message.text = "the answer";
      return reply;
    }
    ToolCall call;
    call.id = ToolCallId("call_" + std::to_string(request.messages.size()));
    call.name = "look";
    reply.message.tool_calls.push_back(call);
    reply.stop = StopReason::ToolUse;
    return reply;
  }

  VirtualExecutor& executor_;
};

}  // namespace ba
