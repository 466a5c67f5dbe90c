// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "storage/control.hpp"
#include "worker/cli/jobs/job_arguments.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/settings/small_file.hpp"

namespace ba::cli {
namespace {

void declare(CLI::App& app, JobResolveArguments& arguments) {
  app.add_option("job", arguments.job, std::string("The job's id") + kOrWithTenant)->required();
  CLI::Option_group* verdicts = app.add_option_group("The outcome of the call");
  const auto verdict = [&](const char* name, CallVerdict value, const char* about) {
    return verdicts->add_flag_callback(
        name, [&arguments, value] { arguments.verdict = value; }, about);
  };
  CLI::Option* happened = verdict("--happened", CallVerdict::Happened,
                                  "It took effect: the job goes on with its result");
  verdict("--did-not-happen", CallVerdict::DidNotHappen,
          "It had no effect and will have none: it is run again");
  verdict("--give-up", CallVerdict::GiveUp, "Nobody can tell: the model reads that, and decides");
  verdicts->require_option(1);
  app.add_option("--call", arguments.call, "The call's id, if the job waits for several");
  CLI::Option* result = app.add_option("--result", arguments.result,
                                       "The tool's real or supposed answer, JSON or text");
  CLI::Option* file =
      app.add_option("--result-file", arguments.result_file, "A file with the tool's answer")
          ->type_name("FILE");
  result->needs(happened)->excludes(file);
  file->needs(happened);
  tenant_of_id(app, arguments.tenant);
  by_option(app, arguments.by);
  json_flag(app, arguments.json, JsonForm::Document);
}

Result<CallAnswer> answer_of(const JobResolveArguments& arguments, const config::Config& config) {
  CallAnswer answer;
  answer.verdict = arguments.verdict;
  if (!arguments.call.empty()) answer.call = ToolCallId(arguments.call);
  answer.result = arguments.result;
  answer.observation_bytes_max = config.tool_runtime.observation_bytes_max;
  if (arguments.result_file.empty()) return answer;
  auto text = settings::read_small_file(arguments.result_file);
  if (!text) return text.error();
  answer.result = std::move(*text);
  return answer;
}

std::string said(CallVerdict verdict) {
  if (verdict == CallVerdict::Happened) return "happened";
  if (verdict == CallVerdict::DidNotHappen) return "did not happen, and is run again";
  return "is given up: the model reads that its outcome is unknown";
}

std::string what_now(int left) {
  if (left == 0) return "the job is ready";
  return counted(left, "more call") + (left == 1 ? " wants" : " want") + " an answer";
}

int resolve(const JobResolveArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto answer = answer_of(arguments, session.config());
  if (!answer) return terminal.fail(answer.error());
  const auto name = named_job(*session.database, arguments.job, arguments.tenant);
  if (!name) return terminal.fail(name.error());
  const auto resolved =
      storage::resolve_call(*session.database, *name, *answer, acting_person(arguments.by));
  if (!resolved) return terminal.fail(resolved.error());
  const UnresolvedCall& call = resolved->call;
  if (arguments.json) {
    terminal.out() << nlohmann::ordered_json{{"job_id", name->job.value},
                                             {"tool_call_id", call.id.value},
                                             {"tool_name", call.tool},
                                             {"verdict", std::string(to_string(answer->verdict))},
                                             {"unresolved", resolved->left},
                                             {"state", resolved->left == 0 ? "ready" : "waiting"}}
                          .dump()
                   << "\n";
  } else {
    terminal.out() << printable(name->tenant.value + "/" + name->job.value + ": " +
                                names_of({call}))
                   << " " << said(answer->verdict) << "; " << what_now(resolved->left) << "\n";
  }
  return kExitOk;
}

}  // namespace

Command job_resolve_command() {
  return command<JobResolveArguments>(
      {.name = "job resolve",
       .summary = "Tell a waiting job the outcome of a tool call",
       .examples = "  ba-agent job resolve job-42 --happened --result '{\"order\":17}'\n"
                   "  ba-agent job resolve job-42 --call call_2 --did-not-happen\n"
                   "  ba-agent job resolve job-42 --give-up --tenant acme",
       .needs = kNeedsDatabase},
      declare, resolve);
}

}  // namespace ba::cli
