// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/player.hpp"

#include <algorithm>

#include "tests/scripted_model/estimate.hpp"
#include "tests/scripted_model/hash.hpp"
#include "tests/scripted_model/model_arguments.hpp"
#include "tests/scripted_model/reasoning.hpp"
#include "tests/scripted_model/signature.hpp"

namespace ba::scripted {

namespace {

constexpr std::string_view kBenchPrefix = "bench ";

std::string hash_of_place(const Request& request, const Play& play, std::size_t index) {
  return Hash().add(play.question).add(request.turns.size()).add(play.step).add(index).hex();
}

std::string call_id(const Request& request, const Play& play, std::size_t index) {
  const char* prefix = request.protocol == Protocol::Anthropic ? "toolu_" : "call_";
  return prefix + hash_of_place(request, play, index);
}

/// The last human turn gives question and step; its index.
std::size_t find_question(const Request& request, Play& play) {
  play.step = 0;
  std::size_t at = request.turns.size();
  while (at > 0 && request.turns[at - 1].kind != Turn::Kind::Human) {
    --at;
    if (request.turns[at].kind == Turn::Kind::Assistant) ++play.step;
  }
  if (at > 0) play.question = request.turns[at - 1].text();
  return at;
}

Refusal thinking_is_missing(Protocol protocol) {
  if (protocol == Protocol::OpenAiResponses) {
    return refuse(400, "invalid_request_error",
                  "An item of type 'function_call' was provided without its required 'reasoning' "
                  "item.");
  }
  return refuse(400, "invalid_request_error",
                "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When "
                "`thinking` is enabled, a final `assistant` message must start with a "
                "thinking block.");
}

/// A script that thinks at a step of this round must get its thinking back.
Refusal check_thinking_is_back(const ScriptEntry& entry, const Request& request, const Play& play) {
  if (request.protocol == Protocol::OpenAi) return nullptr;
  std::size_t step = play.step;
  for (std::size_t at = request.turns.size(); at > 0 && step > 0; --at) {
    const Turn& turn = request.turns[at - 1];
    if (turn.kind != Turn::Kind::Assistant) continue;
    --step;
    const std::size_t played = std::min(step, entry.then.size() - 1);
    if (entry.then[played].thinking && !turn.has_thinking) {
      return thinking_is_missing(request.protocol);
    }
  }
  return nullptr;
}

bool fill_variables(const ScriptStep& step, Scope& scope) {
  for (const auto& [name, text] : step.variables) {
    const std::optional<std::string> value = text.render(scope);
    if (!value) return false;
    scope.variables[name] = *value;
  }
  return std::all_of(step.required.begin(), step.required.end(),
                     [&](const Template& text) { return text.render(scope).has_value(); });
}

bool fill_calls(const ScriptStep& step, const Scope& scope, const Request& request, Play& play) {
  for (std::size_t i = 0; i < step.calls.size(); ++i) {
    const ScriptCall& wanted = step.calls[i];
    ReplyCall call;
    call.name = wanted.name;
    call.id = wanted.id.empty() ? call_id(request, play, step.duplicate_ids ? 0 : i) : wanted.id;
    call.arguments = wanted.arguments;
    if (wanted.templates) {
      std::optional<std::string> filled = fill_arguments(wanted.arguments, scope);
      if (!filled) return false;
      call.arguments = *std::move(filled);
    }
    if (wanted.raw) {
      call.arguments = *wanted.raw;
      call.broken = true;
    }
    play.reply.calls.push_back(std::move(call));
  }
  return true;
}

/// False: a value was missing.
bool fill_reply(const ScriptStep& step, Scope& scope, const Request& request, Play& play) {
  if (!fill_variables(step, scope) || !fill_calls(step, scope, request, play)) return false;
  const std::optional<std::string> text = step.text.render(scope);
  if (!text) return false;
  play.reply.text = *text;
  if (step.thinking) {
    const std::optional<std::string> thinking = step.thinking->render(scope);
    if (!thinking) return false;
    play.reply.thinking = *thinking;
    if (request.protocol == Protocol::Anthropic) {
      play.reply.signature = sign_thinking(*thinking, request);
    } else if (request.protocol == Protocol::OpenAiResponses) {
      play.reply.signature = seal_reasoning(reasoning_id(play.reply.id), *thinking);
    }
  }
  play.reply.stop = !step.stop.empty() ? step.stop : step.calls.empty() ? "end_turn" : "tool_use";
  return true;
}

}  // namespace

Refusal Player::play(const Request& request, Play& play) {
  find_question(request, play);
  play.reply.model = request.model;
  play.reply.id = hash_of_place(request, play, 0);
  if (play.question.starts_with(kBenchPrefix)) {
    play_bench(request, play);
    play.reply.usage = estimate_usage(request, play.reply, {});
    return nullptr;
  }
  std::vector<std::string> groups;
  const ScriptEntry* entry = script_.find(play.question, groups);
  if (entry != nullptr) return play_entry(*entry, request, std::move(groups), play);
  play.reply.text = "I don't know: no script answers this question.";
  play.reply.usage = estimate_usage(request, play.reply, {});
  return nullptr;
}

void Player::play_bench(const Request& request, Play& play) const {
  if (play.step < static_cast<std::size_t>(bench_.steps)) {
    play.reply.calls.push_back({call_id(request, play, 0), bench_.tool, bench_.arguments, false});
    play.reply.stop = "tool_use";
    return;
  }
  const Turn& last = request.turns.back();
  if (last.kind != Turn::Kind::Observation) {
    play.reply.text = "I don't know: there is no observation.";
    return;
  }
  play.reply.text = "observation " + Hash().add(last.text()).hex();
}

Refusal Player::play_entry(const ScriptEntry& entry, const Request& request,
                           std::vector<std::string> groups, Play& play) {
  if (auto refusal = check_thinking_is_back(entry, request, play)) return refusal;
  if (play.step >= entry.then.size() && !entry.repeat_last) {
    play.reply.text = "I don't know: the script of this question is over.";
    play.reply.usage = estimate_usage(request, play.reply, {});
    return nullptr;
  }
  const ScriptStep& step = entry.then[std::min(play.step, entry.then.size() - 1)];
  Scope scope{read_transcript(request), std::move(groups), {}};
  if (!fill_reply(step, scope, request, play)) {
    play.reply.calls.clear();
    play.reply.thinking.clear();
    play.reply.text = step.otherwise;
    play.reply.stop = "end_turn";
  }
  play.reply.usage = estimate_usage(request, play.reply, step.usage);
  play.delay = step.delay;
  play.event_delay = step.event_delay;
  play.fault = next_fault(step, play);
  return nullptr;
}

const Fault* Player::next_fault(const ScriptStep& step, const Play& play) {
  if (step.faults.empty()) return nullptr;
  int seen = fault_requests_[play.question + '\n' + std::to_string(play.step)]++;
  for (const Fault& fault : step.faults) {
    if (fault.times == 0 || seen < fault.times) return &fault;
    seen -= fault.times;
  }
  return nullptr;
}

}  // namespace ba::scripted
