#pragma once
// SPDX-License-Identifier: Apache-2.0
// The state machine over a few tools that never run, with short words for events and actions.
// No I/O and no time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/core/conversation/machine.hpp"
#include "pipeline/core/tool/registry.hpp"

namespace ba {

class NamedTool final : public Tool, public StatusSource {
 public:
  NamedTool(std::string name, EffectClass effect, bool in_turn = false) {
    descriptor_.name = std::move(name);
    descriptor_.description = "a tool";
    descriptor_.parameters_schema = R"({"type":"object","properties":{}})";
    descriptor_.effect = effect;
    descriptor_.in_turn = in_turn;
  }
  const ToolDescriptor& descriptor() const override { return descriptor_; }
  std::unique_ptr<ToolRun> run(ToolInvocation, std::function<void(RawToolResult)>) override {
    return nullptr;
  }
  StatusSource* status_source() override {
    return descriptor_.effect == EffectClass::Reconcilable ? this : nullptr;
  }
  std::unique_ptr<ToolRun> status(ToolInvocation, std::function<void(EffectStatus)>) override {
    return nullptr;
  }

 private:
  ToolDescriptor descriptor_;
};

inline AiMessage reply_text(std::string text) {
  AiMessage message;
  message.text = std::move(text);
  return message;
}

inline AiMessage reply_calls(std::vector<std::pair<std::string, std::string>> calls) {
  AiMessage message;
  for (auto& [id, name] : calls) {
    ToolCall call;
    call.id = ToolCallId(id);
    call.name = name;
    message.tool_calls.push_back(call);
  }
  return message;
}

inline ToolResult succeeded(const std::string& id, std::string observation) {
  ToolResult result;
  result.tool_call_id = ToolCallId(id);
  result.observation = std::move(observation);
  return result;
}

class MachineTest : public testing::Test {
 protected:
  MachineTest() {
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("look", EffectClass::Pure)));
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("send", EffectClass::Once)));
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("write", EffectClass::Keyed)));
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("book", EffectClass::Reconcilable)));
    EXPECT_TRUE(registry_.add(std::make_unique<NamedTool>("add", EffectClass::Keyed, true)));
    state_.job.tenant = TenantId("acme");
    state_.job.job_id = JobId("j1");
    state_.job.conversation_id = ConversationId("job:j1");
    state_.job.messages = {"how many?"};
    state_.claim.id = LedgerJobId(7);
    state_.claim.conversation = LedgerConversationId(3);
  }

  Actions on(Event event) {
    Actions actions = advance(state_, std::move(event), moment_, context_);
    EXPECT_EQ(state_.history.messages.bytes(), text_bytes_of(state_.history.messages));
    return actions;
  }

  static std::int64_t text_bytes_of(const std::vector<Message>& messages) {
    std::int64_t bytes = 0;
    for (const Message& message : messages) bytes += text_bytes(message);
    return bytes;
  }

  Actions answer(AiMessage message, StopReason stop = StopReason::EndTurn, std::int64_t cost = 10) {
    ModelReply reply;
    reply.message = std::move(message);
    reply.message.usage.input_tokens = 100;
    reply.message.usage.output_tokens = 10;
    reply.stop = stop;
    reply.provider = "scripted";
    reply.model = "m";
    reply.cost_micro_usd = cost;
    return on(event::ModelAnswered{std::move(reply)});
  }

  static const Delta& committed(const Actions& actions) {
    for (const Action& action : actions)
      if (const auto* commit = std::get_if<action::Commit>(&action)) return commit->delta;
    throw std::runtime_error("no commit");
  }

  template <typename A>
  static int count(const Actions& actions) {
    return static_cast<int>(std::count_if(actions.begin(), actions.end(), [](const Action& a) {
      return std::holds_alternative<A>(a);
    }));
  }

  static Outcome outcome(const Actions& actions) {
    return committed(actions).finished.value().result.outcome;
  }

  static nlohmann::json report(const Actions& actions) {
    return nlohmann::json::parse(committed(actions).finished.value().metrics_json);
  }

  ToolRegistry registry_;
  Publication settings_;
  RefocusRules refocus_ = kNoReminders;
  MachineContext context_{registry_, settings_, refocus_};
  Moment moment_;
  ConversationState state_;
};

}  // namespace ba
