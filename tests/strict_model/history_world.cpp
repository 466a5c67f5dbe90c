// SPDX-License-Identifier: Apache-2.0
#include "tests/strict_model/history_world.hpp"

#include <algorithm>

#include "pipeline/base/assert.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "tests/strict_model/history_tools.hpp"

namespace ba {
namespace {

constexpr Milliseconds kJobLastsMax{4 * 3'600'000};
constexpr Milliseconds kLease{1'000 * kJobLastsMax};  // nobody renews it
constexpr int kStepsMax = 60;

class IgnoringSource final : public IntakeSource {
 public:
  void acknowledge(std::size_t, std::vector<PartitionOffset>) override {}
  void set_paused(std::set<Lane>) override {}
};

RunProfile profile_of(std::string name, std::string system, std::vector<ToolSpec> tools) {
  RunProfile profile;
  profile.name = std::move(name);
  profile.system_prompt = std::move(system);
  profile.tools = std::move(tools);
  profile.limits.steps_per_round_max = kStepsMax;
  return profile;
}

HistoryEnded failure_of(const Error& error) {
  return {"failed", std::string(to_string(error.code)), error.message, ""};
}

}  // namespace

/// One process.
struct HistoryWorld::Life {
  IncarnationId id;
  std::unique_ptr<ModelClient> models;
  std::unique_ptr<driver::RunnerPorts> ports;
  std::unique_ptr<driver::Engine> engine;
  IgnoringSource source;
};

HistoryWorld::HistoryWorld(const llm::LlmConfig& config, const HistoryRules& rules,
                           PipedHttp::Ask ask)
    : config_(config), http_(time_, [this, ask = std::move(ask)](const auto& to, const auto& body) {
        PipedAnswer answer = ask(to, body);
        died_ = died_ || answer.status == 0;
        return answer;
      }) {
  publication_.outbox_shards = 1;
  compression_.mode = rules.mode;
  compression_.refocus.every_steps = rules.reminder_steps;
  compression_.summary.enabled = !rules.summary_model.empty();
  compression_.summary.model = rules.summary_model;
  begin_life();
}

HistoryWorld::~HistoryWorld() { life_->engine->drop(); }

driver::AgentDirectory HistoryWorld::make_agents() {
  for (const auto& [name, effect] :
       {std::pair("keep", EffectClass::Once), std::pair("look", EffectClass::Pure),
        std::pair("read", EffectClass::Pure)})
    BA_ASSERT(registry_.add(std::make_unique<GivingTool>(time_, name, effect)));
  std::vector<ToolSpec> all = registry_.specs({});
  std::vector<ToolSpec> few{all.at(1)};
  std::map<std::string, std::int64_t> windows;
  for (const llm::ModelConfig& model : config_.models) windows[model.name] = model.context_window;
  return driver::AgentDirectory(
      {profile_of("default", "You answer.", std::move(all)),
       profile_of("few", "You answer briefly.", std::move(few)), profile_of("none", "", {})},
      std::move(windows));
}

void HistoryWorld::begin_life() {
  life_ = std::make_unique<Life>();
  died_ = false;
  ledger_.enter({"w", "h", 1, "v"}, kLease, [this](auto id) { life_->id = id.value(); });
  time_.run_for(Milliseconds(0));
  auto models = llm::make_llm_client(config_, {time_, time_, random_, http_});
  BA_ASSERT(models);
  life_->models = std::move(*models);
  life_->ports = std::make_unique<driver::RunnerPorts>(
      driver::RunnerPorts{time_, time_, ledger_, *life_->models, tools_, registry_, agents_,
                          publication_, observer_, "v"});
  life_->ports->meter = &meter_;
  life_->ports->compression = compression_;
  life_->ports->offers = &offers_;
  driver::EngineHooks hooks;
  hooks.fenced = [] { BA_ASSERT(false && "fenced in its life"); };
  hooks.outbox_written = [](int) {};
  hooks.lease_holds = [] { return true; };
  life_->engine = std::make_unique<driver::Engine>(
      *life_->ports, [this](const RawRecord& record) { return record_of(record); },
      driver::EngineOptions{}, std::move(hooks));
  life_->engine->start(life_->id, &life_->source);
}

/// With all that it had in memory.
void HistoryWorld::end_life() {
  life_->engine->drop();
  ledger_.expire(life_->id);
  life_.reset();
}

IntakeRecord HistoryWorld::record_of(const RawRecord& record) {
  IntakeJob job;
  job.job = next_job_;
  job.payload = encode_job(job.job);
  job.source = record.source;
  return job;
}

HistoryEnded HistoryWorld::run(Job job) {
  const TenantId tenant = job.tenant;
  const JobId id = job.job_id;
  next_job_ = std::move(job);
  RawRecord record;
  record.source = {"ba.jobs", "", 0, offset_++, 0};
  std::vector<RawRecord> records{std::move(record)};
  life_->engine->take(std::move(records));
  const auto ended = [&]() -> const FakeJob* {
    const FakeJob* found = ledger_.find_job(tenant, id);
    return found != nullptr && found->finished ? found : nullptr;
  };
  while (!ended()) {
    const bool reached = time_.run_until([&] { return died_ || ended() != nullptr; }, kJobLastsMax);
    if (!reached) return {"stuck", "", "the job doesn't end", ""};
    if (!died_) continue;
    end_life();
    begin_life();
    ledger_.reap(life_->id, [](auto) {});
  }
  const JobResult& result = ended()->finished->result;
  HistoryEnded told{std::string(to_string(result.outcome)), "", "", ""};
  if (result.error) told.code = result.error->code;
  if (result.error) told.message = result.error->message;
  if (!result.answers.empty()) told.answer = result.answers.back().text;
  return told;
}

HistoryEnded HistoryWorld::ask(const std::string& model, const std::string& agent,
                               const std::vector<Message>& history) {
  const RunProfile& profile = agents_.profiles().at(agent);
  ModelRequest request;
  request.model = model;
  request.system = profile.system_prompt;
  request.tools = offers_.offer(model, profile.tools, {}).tools;
  for (const Message& message : history) request.messages.push_back(&message);
  std::optional<ModelOutcome> outcome;
  ModelListener listener;
  listener.done = [&](ModelOutcome told) { outcome = std::move(told); };
  const auto call = life_->models->ask(request, std::move(listener));
  if (!time_.run_until([&] { return outcome.has_value(); }, kJobLastsMax))
    return {"stuck", "", "the call doesn't end", ""};
  if (const auto* failed = std::get_if<ModelFailure>(&*outcome)) return failure_of(failed->error);
  return {"replied", "", "", std::get<ModelReply>(*outcome).message.text};
}

}  // namespace ba
