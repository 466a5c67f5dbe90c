// SPDX-License-Identifier: Apache-2.0
// ba-run-job: one job from a file to its result, with real models and tools and the ledger in
// memory; neither Kafka nor PostgreSQL. For the domain tests.
//
//   ba-run-job JOB.json --config CONFIG.yaml     prints the result as JSON; exit code 3 when the
//                                                outcome is not completed

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "pipeline/core/skill/skill_desk.hpp"
#include "pipeline/text/contract/decode_job.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "pipeline/text/contract/encode_result.hpp"
#include "tests/support/fake_ledger.hpp"
#include "worker/config/configured_tools.hpp"
#include "worker/config/load_config.hpp"
#include "worker/driver/engine.hpp"
#include "worker/driver/silent_observer.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/tool_fits.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/parts/process_parts.hpp"
#include "worker/runtime/settings.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/configured_skills.hpp"
#include "worker/tools/families.hpp"
#include "worker/tools/skills/skill_directory.hpp"

namespace ba {
namespace {

int fail(const std::string& message) {
  std::cerr << "ba-run-job: " << message << "\n";
  return 2;
}

/// Ends the loop when the job's result is there.
class ResultPrinter final : public driver::SilentObserver {
 public:
  explicit ResultPrinter(runtime::AsioExecutor& executor) : executor_(executor) {}
  void job_finished(const ConversationState&, const JobResult& result) override {
    std::cout << encode_result(result, Encoding::Json) << "\n";
    completed = result.outcome == Outcome::Completed;
    executor_.finish();
  }
  void ledger_failed(const Error& error, const driver::LedgerAttempt& attempt) override {
    std::cerr << "ba-run-job: " << attempt.what << ": " << error.message << "\n";
  }

  bool completed = false;

 private:
  runtime::AsioExecutor& executor_;
};

/// A tool as some servers have them: providers refuse its schema as it stands. Answers with what it
/// was given.
class AwkwardTool final : public Tool {
 public:
  explicit AwkwardTool(runtime::AsioExecutor& executor) : executor_(executor) {
    descriptor_.name = "find_route";
    descriptor_.description = "Finds flights of a route, or of a file";
    descriptor_.parameters_schema =
        R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{)"
        R"("route":{"$ref":"#/definitions/route"},"file":{"type":"string","x-semantic":"path"},)"
        R"("days":{"type":"array"},"$top":{"type":["integer","null"]}},)"
        R"("definitions":{"route":{"type":"string"}},)"
        R"("oneOf":[{"required":["route"]},{"required":["file"]}]})";
    descriptor_.effect = EffectClass::Pure;
    descriptor_.permission = PermissionLevel::Admin;
  }
  const ToolDescriptor& descriptor() const override { return descriptor_; }
  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override {
    struct Run final : ToolRun {
      std::unique_ptr<Timer> timer;
    };
    auto run = std::make_unique<Run>();
    run->timer = executor_.after(Milliseconds(0), [given = invocation.parameters, done] {
      RawToolResult result;
      result.data = given;
      done(std::move(result));
    });
    return run;
  }

 private:
  runtime::AsioExecutor& executor_;
  ToolDescriptor descriptor_;
};

int run_it(const config::LoadedConfig& loaded, Job job) {
  const config::Config& config = loaded.config;
  runtime::AsioExecutor executor;
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  FakeLedger ledger(executor, clock, config.outbox.shards);
  SkillDesk skills(executor);
  const SubAgentDesk nobody;
  const auto http = http::make_curl_http_client(executor.context());
  auto tools = build_tools(tool_makers(config), config.tools.settings,
                           {executor, http.get(), &nobody, &skills});
  if (!tools) return fail(tools.error().message);
  if (auto added = tools.value().registry->add(std::make_unique<AwkwardTool>(executor)); !added)
    return fail(added.error().message);
  const ToolRegistry& registry = *tools.value().registry;
  ToolRuntime runtime(registry, config.tool_runtime, clock, executor, random);
  auto agents = runtime::make_agent_directory(config, registry);
  if (!agents) return fail(agents.error().message);
  agents->offer(tools::skill_offers(
      config, skills::find_skills(config.tools.of<skills::SkillsConfig>()).skills));
  auto models = llm::make_llm_client(config.llm, llm::LlmPorts{executor, clock, random, *http});
  const llm::PriceBook prices(config.llm.models);
  if (!models) return fail(models.error().message);
  const Publication publication = runtime::publication_of(config);
  ResultPrinter printer(executor);
  driver::RunnerPorts ports{executor, clock,          ledger,      *models.value(), runtime,
                            registry, agents.value(), publication, printer,         "test"};
  ports.skills = &skills;
  const auto meter = runtime::ConfiguredMeter::of(loaded);
  if (!meter) return fail(meter.error().message);
  ports.meter = meter->get();
  ports.compression = config.context;
  llm::ToolFits offers(config.llm);
  ports.offers = &offers;
  ports.prices = &prices;
  driver::EngineHooks hooks;
  hooks.fenced = [&] { executor.finish(); };
  hooks.outbox_written = [](int) {};
  hooks.lease_holds = [] { return true; };
  driver::Engine engine(
      ports, [](RawRecord) -> IntakeRecord { return DeadLetter{}; }, driver::EngineOptions{},
      std::move(hooks));
  ledger.enter({"domain", "localhost", 1, "test"}, std::chrono::hours(1), [&](auto self) {
    IntakeBatch batch;
    IntakeJob intake;
    intake.payload = encode_job(job);
    intake.job = std::move(job);
    batch.jobs.push_back(std::move(intake));
    const ClaimRequest claim;
    ledger.intake(self.value(), std::move(batch), claim,
                  [&, id = self.value()](auto) { engine.start(id, nullptr); });
  });
  executor.run();
  return printer.completed ? 0 : 3;
}

}  // namespace
}  // namespace ba

int main(int argc, char** argv) {
  if (argc != 4 || std::string_view(argv[2]) != "--config")
    return ba::fail("usage: ba-run-job JOB.json --config CONFIG.yaml");
  std::ifstream file(argv[1]);
  if (!file) return ba::fail(std::string("cannot read ") + argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  const std::string value = text.str();
  const ba::Headers headers{{"content-type", "application/json"}};
  auto decoded = ba::decode_job({std::nullopt, value, headers, {}}, ba::JobContractLimits{});
  if (const auto* reason = std::get_if<ba::DeadLetterReason>(&decoded))
    return ba::fail(reason->reason.text() + " " + reason->field + ": " + reason->message);
  ba::config::ConfigSources sources;
  sources.file = argv[3];
  sources.environment = ba::config::process_environment();
  const ba::config::LoadedConfig loaded = ba::config::load_config(sources);
  for (const auto& error : loaded.findings.errors()) std::cerr << error << "\n";
  if (!loaded.usable()) return ba::fail("the configuration can't be used");
  return ba::run_it(loaded, std::move(std::get<ba::Job>(decoded)));
}
