// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/job_tools.hpp"

#include <algorithm>

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/text/contract/result_id.hpp"

namespace ba::driver {

void JobTools::run(std::size_t index) {
  // A worker that stood still finds the answers that waited for it before it finds its lease over;
  // by then another may have said that this call did not happen.
  if (!lease_holds_()) return feed_(run::LeaseLost{});
  const CallState& call = state().calls.at(index);
  ports_.observer.tool_started(state(), call);
  if (runs_.size() <= index) runs_.resize(index + 1);
  runs_[index] = ports_.tools.run(request_of(call), [this, index](ToolResult result) {
    result = with_skill_verdict(state(), state().calls.at(index), std::move(result));
    ports_.observer.tool_finished(state(), state().calls.at(index), result);
    const auto finished = std::move(runs_[index]);
    feed_(Event(event::ToolFinished{index, std::move(result)}));
  });
}

void JobTools::drop() { runs_.clear(); }

ToolRequest JobTools::request_of(const CallState& call) {
  const ConversationState& now = state();
  ToolRequest request;
  request.call = call.call;
  request.tenant = now.job.tenant;
  request.caller_id = now.profile.name;
  request.permission = now.profile.permission;
  request.agent_level = now.profile.output_level;
  apply_call_settings(now.profile.tool_settings, request);
  request.window_used = window_used();
  request.allowed = allowed_here();
  request.reads_artifacts = reads_artifacts();
  request.data_sources = now.profile.data_sources;
  request.job = now.claim.id;
  request.position = call.position;
  request.idempotency_key =
      effect_key(now.job.tenant, now.job.job_id, call.position, call.call.name);
  request.maybe_done = call.maybe_done;
  request.begun_version = call.begun_version;
  request.may_go_on = [this] { return lease_holds_for_call(); };
  request.active_skills = active_skills(now.skills.known);
  if (const auto& active = now.skills.known.stack.active(); !active.empty()) {
    request.skill = active.back().skill_name;
    request.activation_id = active.back().activation_id;
  }
  if (ports_.meter)
    request.count_tokens = [&meter = *ports_.meter, model = model_in_force(now)](
                               std::string_view text) { return meter.count(model, text); };
  return request;
}

/// Share of the model's context window that the last model call used: as its reply reported, else
/// as it was estimated.
double JobTools::window_used() const {
  const std::int64_t window = window_in_force(state());
  const auto& messages = state().history.messages;
  const auto reply = std::find_if(messages.rbegin(), messages.rend(), [](const Message& m) {
    return std::holds_alternative<AiMessage>(m) && !is_hidden(m);
  });
  if (reply == messages.rend() || window <= 0) return 0;
  const auto estimated = turn_.view() ? turn_.view()->estimated_tokens() : std::nullopt;
  const std::int64_t reported = std::get<AiMessage>(*reply).usage.total();
  return static_cast<double>(reported > 0 ? reported : estimated.value_or(0)) /
         static_cast<double>(window);
}

/// Asked by a run, which the end of this one destroys: that comes after it.
bool JobTools::lease_holds_for_call() {
  if (lease_holds_()) return true;
  fenced_ = ports_.executor.after(Milliseconds(0), [this] { feed_(run::LeaseLost{}); });
  return false;
}

/// The job's tools, as far as the active skills allow them and the model could be offered them.
AllowedTools JobTools::allowed_here() {
  AllowedTools allowed;
  allowed.emplace();
  for (const ToolSpec& tool : state().profile.tools)
    if (skills_allow(state(), tool.name)) allowed->insert(tool.name);
  for (const LeftOutTool& tool : turn_.offer_for(model_in_force(state())).left_out)
    allowed->erase(tool.tool);
  return allowed;
}

/// Whether a tool does that the model is offered, whatever active skills forbid for now.
bool JobTools::reads_artifacts() {
  const auto& tools = turn_.offer_for(model_in_force(state())).tools;
  return std::ranges::any_of(tools, [this](const ToolSpec& tool) {
    const auto* entry = ports_.registry.find(tool.name);
    return entry != nullptr && !entry->artifact_parameters.empty();
  });
}

}  // namespace ba::driver
