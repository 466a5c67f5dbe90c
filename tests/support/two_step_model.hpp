#pragma once
// SPDX-License-Identifier: Apache-2.0
// A model under virtual time: answers after `delay`, the first call of a round with a call of the
// tool `look`, the next with text.

#include <functional>
#include <optional>
#include <utility>

#include "pipeline/model/model_client.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {

class TwoStepModel final : public ModelClient {
 public:
  explicit TwoStepModel(VirtualExecutor& executor) : executor_(executor) {}

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, ModelListener listener) override {
    if (!request.tools.empty()) tool_description = request.tools[0].description;
    return std::make_unique<Call>(*this, std::move(listener), reply_to(request));
  }

  /// What is answered to a request, in place of the two steps; none: those.
  std::function<std::optional<AiMessage>(const ModelRequest&)> script;
  int asked = 0;     ///< tries
  int losses = 0;    ///< so many of the next tries are lost
  int failures = 0;  ///< so many of the next tries are refused; the next comes after `backoff`
  Milliseconds backoff{60'000};
  int tries_max = 3;
  std::string tool_description;  ///< as of the last question
  Milliseconds delay{1000};
  std::int64_t input_tokens = 10;  ///< of each reply

 private:
  class Call final : public ModelCall {
   public:
    Call(TwoStepModel& model, ModelListener listener, ModelReply reply)
        : model_(model), listener_(std::move(listener)), reply_(std::move(reply)) {
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
      timer_ = model_.executor_.after(model_.delay, [this] { answered(); });
    }

    void answered() {
      out_ = false;
      if (model_.failures > 0) {
        --model_.failures;
        timer_ = model_.executor_.after(model_.backoff, [this] { submit(); });
        return;
      }
      if (model_.losses == 0) return end(std::move(reply_));
      --model_.losses;
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
    ModelReply reply_;
    std::unique_ptr<Timer> timer_;
  };

  ModelReply reply_to(const ModelRequest& request) const {
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
