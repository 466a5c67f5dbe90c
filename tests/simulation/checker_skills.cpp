// SPDX-License-Identifier: Apache-2.0
// Skills: what an activation brings stands in the conversation once, behind its step's calls, and
// in every request of its round; what it forbids isn't run and what it doesn't forbid isn't
// refused; the end of a round ends it. All of it by the rows, so whatever crashed in between. And
// that whoever goes on with a job asks as the one before it did.
#include <algorithm>

#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/text/contract/result_id.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/skills.hpp"

namespace ba::sim {
namespace {

using StepKey = std::pair<int, int>;  ///< round and step

constexpr int kAfterRound = 1'000'000;  ///< behind all steps of one

bool activates(const StoredSkillUse& use) { return use.used.depth > 0; }

/// Whether it was active when the calls of a step were asked for.
bool held_in(const StoredSkillUse& use, int round, int step) {
  return activates(use) && use.used.position.round == round && use.used.position.step < step &&
         (!use.done_step || *use.done_step >= step);
}

/// Whether it was active at some moment of a step.
bool met_in(const StoredSkillUse& use, int round, int step) {
  return activates(use) && use.used.position.round == round && use.used.position.step <= step &&
         (!use.done_step || *use.done_step >= step);
}

/// Whether it was active when a step was over, or still is.
bool left_by(const StoredSkillUse& use, int round, int step) {
  return activates(use) && use.used.position.round == round && use.used.position.step <= step &&
         (!use.done_step || *use.done_step > step);
}

std::string id_at(const FakeJob& job, const Position& position) {
  const Job& asked = job.intake.job;
  return activation_id_of(effect_key(asked.tenant, asked.job_id, position, kActivateSkillTool));
}

/// Whether it is the hidden one of what an activation brings.
bool instructs(const Message& message) {
  return std::holds_alternative<AiMessage>(message) && brought_by_skill(message);
}

/// How many messages of the ledger tell of the activation, each behind the hidden one that it
/// belongs to.
int told_in(const FakeJob& job, const StoredSkillUse& use) {
  int told = 0;
  const Message* before = nullptr;
  for (const auto& [position, message] : job.messages) {
    const auto began = activation_in(message);
    const bool whole = before != nullptr && instructs(*before);
    if (whole && began && began->activation_id == use.used.activation_id) ++told;
    before = &message;
  }
  return told;
}

int calls_in(const FakeJob& job, const StepKey& step) {
  const auto found = job.steps.find(step);
  return found == job.steps.end() ? 0 : static_cast<int>(found->second.message.tool_calls.size());
}

bool says(const FakeJob& job, const Position& call, const char* code) {
  const auto found = job.messages.find(call);
  if (found == job.messages.end()) return false;
  const auto* observation = std::get_if<ToolMessage>(&found->second);
  return observation && observation->content.find(code) != std::string::npos;
}

void add(std::string& bytes, const std::string& part) {
  bytes += part;
  bytes += '\n';
}

/// What the provider's cache would know it by.
std::string words_of(const ModelRequest& request) {
  std::string bytes;
  add(bytes, request.model);
  add(bytes, request.system);
  for (const ToolSpec& tool : request.tools) add(bytes, tool.name);
  for (const Message* message : request.messages) {
    add(bytes, std::to_string(message->index()));
    if (const auto* human = std::get_if<HumanMessage>(message)) add(bytes, human->text);
    if (const auto* system = std::get_if<SystemMessage>(message)) add(bytes, system->text);
    if (const auto* tool = std::get_if<ToolMessage>(message)) add(bytes, tool->content);
    const auto* ai = std::get_if<AiMessage>(message);
    if (ai == nullptr) continue;
    add(bytes, ai->text);
    for (const ToolCall& call : ai->tool_calls) add(bytes, call.id.value + call.args_json);
  }
  return bytes;
}

}  // namespace

// ---- the ledger --------------------------------------------------------------------------------

void Checker::check_skills(const FakeJob& job) {
  std::map<StepKey, int> due;
  std::map<StepKey, int> there;
  std::map<std::string, std::string> versions;
  for (const auto& [position, use] : job.skills) {
    due[{position.round, position.step}] += activates(use) ? 2 : 1;
    check_skill_use(job, use);
    if (versions.try_emplace(use.used.skill, use.used.hash).first->second != use.used.hash)
      fail(name_of(job) + " has used two versions of skill " + use.used.skill);
  }
  for (const auto& [position, message] : job.messages) {
    if (!brought_by_skill(message)) continue;
    const StepKey step{position.round, position.step};
    ++there[step];
    if (position.index <= calls_in(job, step))
      fail("what a skill brought stands before the observations of its step in " + name_of(job));
  }
  if (due != there) fail("what skills brought is not in " + name_of(job) + " once for each use");
  check_skill_calls(job);
}

void Checker::check_skill_use(const FakeJob& job, const StoredSkillUse& use) {
  const Position& at = use.used.position;
  const std::string name = "skill " + use.used.skill + " in " + name_of(job);
  if (!may_have(job.intake.job.tenant.value, use.used.skill)) fail("there is no " + name);
  const auto call = job.calls.find(at);
  const bool of_call = call != job.calls.end() && call->second.tool_name == kActivateSkillTool &&
                       call->second.state == ToolCallState::Succeeded;
  if (at.step > 0 && !of_call) fail("no call has used " + name);
  if (!activates(use)) return;
  if (use.used.activation_id != id_at(job, at)) fail("another call has activated " + name);
  if (told_in(job, use) != 1) fail("the conversation is not told once of " + name);
  std::set<int> depths;
  std::set<std::string> names;
  int active = 0;
  for (const auto& [position, other] : job.skills) {
    if (!left_by(other, at.round, at.step)) continue;
    ++active;
    depths.insert(other.used.depth);
    names.insert(other.used.skill);
  }
  const bool stacked = std::ssize(depths) == active && std::ssize(names) == active &&
                       (active == 0 || (*depths.begin() == 1 && *depths.rbegin() == active));
  if (!stacked || active > static_cast<int>(SkillStack::kDepthMax))
    fail("the active skills are no stack with " + name);
}

/// Each call has done what it says.
void Checker::check_skill_calls(const FakeJob& job) {
  std::map<StepKey, int> ends;
  for (const auto& [position, use] : job.skills)
    if (use.done_step) ++ends[{position.round, *use.done_step}];
  for (const auto& [at, call] : job.calls) {
    if (!is_skill_tool(call.tool_name)) continue;
    if (call.state == ToolCallState::Failed) check_skill_refusal(job, call);
    if (call.state != ToolCallState::Succeeded) continue;
    const bool activates = call.tool_name == kActivateSkillTool;
    if (activates && !job.skills.contains(at))
      fail("a call in " + name_of(job) + " has brought no skill and says that it did");
    if (!activates && --ends[{at.round, at.step}] < 0)
      fail("a call in " + name_of(job) + " has ended no skill and says that it did");
  }
  for (const auto& [step, left] : ends)
    if (left > 0) fail("a skill of " + name_of(job) + " was ended that no call has ended");
}

/// It was refused for what there was.
void Checker::check_skill_refusal(const FakeJob& job, const StoredToolCall& call) {
  const Position& at = call.position;
  const auto count = [&job](auto test) {
    return std::ranges::count_if(job.skills,
                                 [&test](const auto& entry) { return test(entry.second); });
  };
  const auto met = [&at](const StoredSkillUse& use) { return met_in(use, at.round, at.step); };
  const std::string name = "a call of " + call.tool_name + " in " + name_of(job);
  if (says(job, at, "SKILL_CYCLE")) {
    const std::string skill = skill_request_of(call.parameters).name;
    if (count([&](const StoredSkillUse& use) { return use.used.skill == skill && met(use); }) == 0)
      fail(name + " was refused as a cycle and there was none");
  }
  if (says(job, at, "SKILL_DEPTH") && count(met) < std::ptrdiff_t{SkillStack::kDepthMax})
    fail(name + " was refused as too deep and wasn't");
  const auto stayed = [&at](const StoredSkillUse& use) {
    return held_in(use, at.round, at.step) && left_by(use, at.round, at.step);
  };
  if (says(job, at, "SKILL_NOT_ACTIVE") && count(stayed) > 0)
    fail(name + " was refused as if no skill were active");
}

// ---- calls -------------------------------------------------------------------------------------

bool Checker::forbidden(const FakeJob& job, const Position& call, const std::string& tool) const {
  if (!has_skills() || is_skill_tool(tool)) return false;
  return std::ranges::any_of(job.skills, [&](const auto& entry) {
    return held_in(entry.second, call.round, call.step) &&
           !skill_allows(entry.second.used.skill, tool);
  });
}

/// To the conversation: what is forbidden is refused, and nothing else is.
void Checker::call_told(LedgerJobId id, const CallState& call, const ToolResult& result) {
  const auto& jobs = database_->rows().jobs();
  const auto job = jobs.find(id);
  if (job == jobs.end() || set_back_) return;
  const std::string& tool = call.call.name;
  const std::string code = result.error ? result.error->code : "";
  const bool denied = code == "TOOL_NOT_ALLOWED";
  const bool wanted = forbidden(job->second, call.position, tool);
  if (denied && !wanted) fail("a call of " + tool + " was refused that no skill forbids");
  if (wanted && !denied && code != "TOOL_NOT_FOUND")
    fail("a call of " + tool + " was not refused that a skill forbids");
  if (denied) world_.mark(Mark::SkillForbadeCall);
  if (code == "SKILL_CYCLE") world_.mark(Mark::SkillCycleRefused);
  if (code == "SKILL_DEPTH") world_.mark(Mark::SkillDepthRefused);
  if (code == "SKILL_NOT_NEWEST") world_.mark(Mark::SkillEndRefused);
  if (result.state != ToolCallState::Succeeded) return;
  if (tool == kDeactivateSkillTool) world_.mark(Mark::SkillEnded);
  if (tool != kActivateSkillTool) return;
  const bool activated = skill_request_of(call.call.args_json).level == SkillLevel::Instructions;
  world_.mark(activated ? Mark::SkillActivated : Mark::SkillRead);
}

// ---- requests ----------------------------------------------------------------------------------

/// To the byte: what is sent follows from rows. Skills of the job's own that no row has yet may be
/// other versions elsewhere. A summary that became durable meanwhile is used at once, unless the
/// reply had been counted or refused by then: it says so itself.
void Checker::check_same_request(const FakeJob& job, const ModelQuestion& question,
                                 const ModelRequest& request) {
  const auto on_record = [&job](const std::string& skill) {
    return std::ranges::any_of(
        job.skills, [&skill](const auto& entry) { return entry.second.used.skill == skill; });
  };
  if (!std::ranges::all_of(job.intake.job.skills, on_record)) return;
  const Position reply{question.round, question.step, 0};
  const auto summaries = std::ranges::count_if(job.summaries, [&reply](const auto& entry) {
    return entry.second.row.state == SummaryState::Ready && entry.second.row.after < reply;
  });
  // Each refusal that is on record makes it shorter.
  const auto refusals = std::ranges::count_if(job.refused_contexts, [&](const auto& entry) {
    return entry.first.round == question.round && entry.first.step == question.step;
  });
  constexpr int kSummariesMax = 1'000;
  const CallKey key{job.id,
                    {question.round, question.step,
                     static_cast<int>(summaries) + kSummariesMax * static_cast<int>(refusals)}};
  const std::string bytes = words_of(request);
  if (sent_.try_emplace(key, bytes).first->second != bytes)
    fail("the model was asked for one reply of " + name_of(job) + " in two ways");
}

void Checker::check_skills_seen(const FakeJob& job, const ModelQuestion& question,
                                const ModelRequest& request) {
  std::string model = kOracle;
  std::set<std::string> held;
  for (const auto& [position, use] : job.skills) {
    if (question.step == 1 && left_by(use, question.round - 1, kAfterRound))
      world_.mark(Mark::SkillEndedByRound);
    if (!held_in(use, question.round, question.step)) continue;
    held.insert(use.used.activation_id);
    if (use.used.skill == kSageSkill) model = kElder;
  }
  // Before its first reply is durable, a round's own aren't.
  const int own = question.step == 1 ? static_cast<int>(job.intake.job.skills.size()) : 0;
  for (int i = 1; i <= own; ++i) held.insert(id_at(job, {question.round, 0, i}));
  if (request.model != model)
    fail(name_of(job) + " asked model " + request.model + ", which no skill in force names");
  const std::set<std::string> told = check_told_in(job, request);
  // A history that was made shorter may lack them in the end.
  for (const std::string& id : held)
    if (!told.contains(id) && !scenario_.on(Fault::LongHistories))
      fail(name_of(job) + " was not sent what an active skill brought: " + id);
}

/// The activations that the request tells of, each once and behind its instructions.
std::set<std::string> Checker::check_told_in(const FakeJob& job, const ModelRequest& request) {
  std::set<MessageId> ids;
  std::set<std::string> told;
  const Message* before = nullptr;
  for (const Message* message : request.messages) {
    const MessageId& id = meta_of(*message).message_id;
    if (!id.value.empty() && !ids.insert(id).second)
      fail(name_of(job) + " was sent a message twice: " + id.value);
    const auto began = activation_in(*message);
    if (began && !told.insert(began->activation_id).second)
      fail(name_of(job) + " was told twice of activation " + began->activation_id);
    if (began && (!before || !instructs(*before)))
      fail(name_of(job) + " was sent an activation without its instructions");
    before = message;
  }
  if (std::holds_alternative<AiMessage>(*before))
    fail(name_of(job) + " was sent a request that ends with words of a model");
  return told;
}

}  // namespace ba::sim
