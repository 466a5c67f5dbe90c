// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "storage/control.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/program/acting_person.hpp"
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/settings/small_file.hpp"

namespace ba {
namespace {

Result<CallAnswer> answer_of(const JobResolveArguments& arguments, const Config& config) {
  CallAnswer answer;
  answer.verdict = arguments.verdict;
  if (!arguments.call.empty()) answer.call = ToolCallId(arguments.call);
  answer.result = arguments.result;
  answer.observation_bytes_max = config.tool_runtime.observation_bytes_max;
  if (arguments.result_file.empty()) return answer;
  auto text = read_small_file(arguments.result_file);
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

}  // namespace

int job_resolve_command(const JobResolveArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto access = postgres_of(session.config());
  if (!access) return terminal.fail(access.error());
  const auto answer = answer_of(arguments, session.config());
  if (!answer) return terminal.fail(answer.error());
  const auto name = named_job(*access, arguments.job, arguments.tenant);
  if (!name) return terminal.fail(name.error());
  const auto resolved = resolve_call(*access, *name, *answer, acting_person(arguments.by));
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

}  // namespace ba
