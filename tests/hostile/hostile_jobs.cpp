// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/hostile_jobs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "tests/hostile/letters.hpp"

namespace ba {

using namespace std::chrono_literals;
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kOfGlobex = "canary-of-globex";
constexpr const char* kOfNoModel = "canary-of-the-vault";

/// The tenant, as the first message of every conversation says.
bool of_acme(const ModelRequest& request) {
  const auto* first = std::get_if<HumanMessage>(request.messages.front());
  return first != nullptr && first->text == "acme";
}

bool asked_by_person(const std::string& agent) { return agent == "default" || agent == "guest"; }

/// Its system prompt begins with its name.
std::string agent_of(const ModelRequest& request) {
  return request.system.substr(0, request.system.find('.'));
}

Skill skill_with(const std::string& name, const std::string& text) {
  Skill skill;
  skill.name = name;
  skill.description = text;
  skill.body = text;
  seal(skill);
  return skill;
}

}  // namespace

HostileJobs::HostileJobs() {
  add_tools();
  std::vector<RunProfile> profiles;
  for (const HostileAgent& agent : hostile_agents()) {
    RunProfile profile;
    profile.name = agent.name;
    profile.model = "two-step";
    profile.system_prompt = std::string(agent.name) + ".";
    profile.tools = registry_.specs(agent.tools);
    profile.permission = agent.permission;
    profile.limits.steps_per_round_max = 6;
    profiles.push_back(std::move(profile));
  }
  agents_ = driver::AgentDirectory(profiles, {{"two-step", 1'000'000}});
  add_skills();
  ports_.sub_agents = &sub_agent_desk_;
  ports_.skills = &skill_desk_;
  model_.script = [this](const ModelRequest& request) { return reply(request); };
}

void HostileJobs::add_tools() {
  SubAgentTypes types;
  for (const HostileAgent& agent : hostile_agents()) types[agent.name] = agent.sub_agents;
  const auto add = [this](std::unique_ptr<Tool> tool) {
    EXPECT_TRUE(registry_.add(std::move(tool)));
  };
  add(std::make_unique<TaskTool>(types, 1h, sub_agent_desk_, executor_));
  add(std::make_unique<ActivateSkillTool>(skill_desk_));
  add(std::make_unique<DeactivateSkillTool>(executor_));
  add(noting_tool("note", PermissionLevel::Restricted, executor_, runs));
  add(noting_tool("survey", PermissionLevel::Default, executor_, runs));
  add(noting_tool("wipe", PermissionLevel::Admin, executor_, runs));
}

/// `payroll` is globex's alone, and `vault` is for no model; all agents have all there are.
void HostileJobs::add_skills() {
  SkillOffers offers;
  std::vector<Skill> skills{skill_with("reports", "Go on."), skill_with("payroll", kOfGlobex),
                            skill_with("vault", kOfNoModel)};
  skills[2].disable_model_invocation = true;
  for (Skill& skill : skills) {
    seal(skill);
    offers.skills[skill.name] = std::make_shared<const Skill>(skill);
  }
  offers.agents = {{"default", {"*"}}, {"explorer", {"*"}}};
  offers.tenants = {{"acme", {"reports", "vault"}}, {"globex", {"payroll", "vault"}}};
  agents_.offer(std::move(offers));
}

/// "acme/guest/3": tenant and agent; of every fifth, the job says itself that few tools will do.
DecodeRecord HostileJobs::hostile_decoder() {
  return [this](RawRecord record) -> IntakeRecord {
    const std::string id = record.value;
    IntakeJob job = std::get<IntakeJob>(decoder()(std::move(record)));
    job.job.tenant = TenantId(id.substr(0, id.find('/')));
    job.job.messages = {job.job.tenant.value};
    job.job.agent = id.find("/guest/") == std::string::npos ? "default" : "guest";
    if (id.ends_with('5')) job.job.allowed_tools = {"look", "task"};
    job.payload = encode_job(job.job);
    return job;
  };
}

void HostileJobs::run_jobs(int count, std::uint64_t seed) {
  dice_.seed(seed);
  IncarnationId self;
  ledger_.enter({"w", "h", 1, "v"}, 1000h, [&](auto id) { self = id.value(); });
  executor_.run_for(0ms);
  driver::EngineOptions options;
  options.running_max = 20;
  options.window.jobs_max = count;
  options.window.waiting_max = count;
  driver::EngineHooks hooks;
  hooks.fenced = [] { ADD_FAILURE() << "fenced"; };
  hooks.outbox_written = [](int) {};
  hooks.lease_holds = [] { return true; };
  driver::RecordingSource source;
  driver::Engine engine(ports_, hostile_decoder(), options, std::move(hooks));
  engine.start(self, &source);
  for (int i = 0; i < count; ++i) {
    const std::string tenant = i % 2 ? "globex" : "acme";
    const std::string agent = i % 3 ? "default" : "guest";
    engine.take(records({tenant + "/" + agent + "/" + std::to_string(i)},
                        tenant + agent + std::to_string(i % 30)));
  }
  EXPECT_TRUE(executor_.run_until([&] { return finished_jobs() == count; }, 100h));
}

int HostileJobs::finished_jobs() const {
  int count = 0;
  for (const auto& [id, job] : ledger_.jobs()) count += !job.asked_by && job.finished;
  return count;
}

std::optional<AiMessage> HostileJobs::reply(const ModelRequest& request) {
  look_for_leaks(request);
  AiMessage message;
  message.text = "done";
  if (below(5) == 0) return message;
  for (std::size_t i = 1 + below(3); i > 0; --i) message.tool_calls.push_back(next_call(request));
  return message;
}

void HostileJobs::look_for_leaks(const ModelRequest& request) {
  const std::string agent = agent_of(request);
  std::string read = request.system;
  for (const Message* message : request.messages)
    if (const auto* tool = std::get_if<ToolMessage>(message)) {
      overhear(tool->content);
      read += tool->content;
    }
  if (read.find(kOfNoModel) != read.npos) leaks += agent + " read the vault\n";
  if (of_acme(request) && read.find(kOfGlobex) != read.npos)
    leaks += agent + " read globex's skill\n";
  for (const ToolSpec& tool : request.tools)
    if (tool.name == "wipe" || (!asked_by_person(agent) && tool.name == kTaskTool))
      leaks += agent + " was offered " + tool.name + "\n";
}

void HostileJobs::overhear(const std::string& observation) {
  constexpr std::string_view kBefore = "agentId: ";
  constexpr std::size_t kDigits = 16;
  const std::size_t at = observation.rfind(kBefore);
  if (at != observation.npos) overheard_.insert(observation.substr(at + kBefore.size(), kDigits));
}

/// What it was told last, or what comes to its mind.
ToolCall HostileJobs::next_call(const ModelRequest& request) {
  static constexpr const char* kNames[]{"task", "task", "look", "note", "survey", "wipe", "admin"};
  static constexpr const char* kSkills[]{"payroll", "vault", "reports"};
  ToolCall call;
  call.id = ToolCallId("call_" + std::to_string(++last_call_));
  call.name = kNames[below(std::size(kNames))];
  call.args_json = call.name == kTaskTool ? task_args(request) : "{}";
  if (below(6) == 0) {
    call.name = kActivateSkillTool;
    call.args_json = Json{
        {"skill_name", kSkills[below(std::size(kSkills))]},
        {"load_level",
         1 + below(3)}}.dump();
  }
  const auto* tool = std::get_if<ToolMessage>(request.messages.back());
  const std::vector<Attempt> told = tool ? told_by(tool->content) : std::vector<Attempt>();
  if (!told.empty() && below(2) == 0) {
    const Attempt& attempt = told[below(told.size())];
    call.name = attempt.tool;
    call.args_json = attempt.args;
  }
  ++calls_made;
  calls_nested += !asked_by_person(agent_of(request)) && call.name == kTaskTool;
  return call;
}

std::string HostileJobs::task_args(const ModelRequest& request) {
  static constexpr const char* kTypes[]{"explorer", "explorer", "writer",     "admin",
                                        "default",  "guest",    "explorer\n", "*"};
  Json args{{"description", "help"},
            {"prompt", of_acme(request) ? "acme" : "globex"},
            {"subagent_type", kTypes[below(std::size(kTypes))]}};
  if (!overheard_.empty() && below(3) == 0)
    args["agent_id"] =
        *std::next(overheard_.begin(), static_cast<std::ptrdiff_t>(below(overheard_.size())));
  if (below(10) == 0) args["permission"] = "admin";
  if (below(10) == 0) args["tools"] = {"wipe", "task"};
  return args.dump();
}

std::vector<const FakeJob*> HostileJobs::sub_agents() const {
  std::vector<const FakeJob*> found;
  for (const auto& [id, job] : ledger_.jobs())
    if (job.asked_by) found.push_back(&job);
  return found;
}

std::string HostileJobs::forbidden_sub_agents() const {
  std::string found;
  std::map<LedgerConversationId, LedgerConversationId> asking_conversations;
  for (const FakeJob* job : sub_agents()) {
    const FakeJob& asking = ledger_.jobs().at(job->asked_by->job);
    const std::string who = asking.intake.job.agent + " > " + job->intake.job.agent + "\n";
    if (asking.asked_by) found += "nested: " + who;
    if (!agent_of(asking.intake.job).sub_agents.contains(job->intake.job.agent))
      found += "not its own: " + who;
    if (asking.intake.job.tenant != job->intake.job.tenant) found += "of another tenant: " + who;
    const auto known = asking_conversations.emplace(job->conversation, asking.conversation).first;
    if (known->second != asking.conversation) found += "another's, resumed: " + who;
  }
  return found;
}

/// What holds for a job and for the sub-agents it asks: how much they may, and which tools.
bool HostileJobs::within(const FakeJob& job, const NotedRun& run) const {
  const PermissionLevel most = agent_of(job.intake.job).permission;
  const std::vector<std::string>& allowed = job.intake.job.allowed_tools;
  const PermissionLevel needed = registry_.find(run.tool)->tool->descriptor().permission;
  return run.permission <= most && needed <= most && run.tenant == job.intake.job.tenant &&
         (allowed.empty() || std::ranges::count(allowed, run.tool) > 0);
}

std::string HostileJobs::forbidden_runs() const {
  std::string found;
  for (const NotedRun& run : runs) {
    const FakeJob& job = ledger_.jobs().at(run.job);
    const HostileAgent& agent = agent_of(job.intake.job);
    const bool allowed = run.agent == agent.name && agent.tools.contains(run.tool) &&
                         within(job, run) &&
                         (!job.asked_by || within(ledger_.jobs().at(job.asked_by->job), run));
    if (!allowed) found += run.agent + " ran " + run.tool + "\n";
  }
  return found;
}

}  // namespace ba
