// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent submit`.
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

void add_submit_fields(CLI::App& app, SubmitArguments& arguments) {
  app.add_option("--tenant", arguments.tenant, "Tenant (default: \"default\")")->check(not_empty());
  app.add_option("--job-id", arguments.job_id,
                 "The job's id, unique per tenant (default: made); without the tenant, which is "
                 "--tenant")
      ->check(not_empty());
  app.add_option("--conversation", arguments.conversation,
                 "Conversation to go on with; begins where there is none (--wait says which, where "
                 "PostgreSQL is configured)")
      ->check(not_empty());
  app.add_option("--agent", arguments.agent, "Agent profile")->check(not_empty());
  app.add_option("--model", arguments.model, "Configured model")->check(not_empty());
  app.add_option("--answer-schema", arguments.answer_schema_file,
                 "JSON Schema (draft 7) that each answer must fit: with --wait, the answer is JSON")
      ->type_name("FILE")
      ->check(not_empty());
  app.add_option("--lane", arguments.lane, "Priority lane")
      ->check(CLI::IsMember({"high", "normal", "batch"}));
}

}  // namespace

void add_submit(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(
      parent, "submit", "Put a job on the jobs topic, and wait for its answer if asked to",
      "  ba-agent submit --wait \"How many flights left JFK in March?\"\n"
      "  ba-agent submit --wait \"Which airline has the carrier code UA?\" \"How many flights left "
      "JFK "
      "in March?\"   # two rounds\n"
      "  ba-agent submit --file jobs.jsonl --wait --json\n"
      "  ba-agent submit --wait --answer-schema counts.json \"How many flights left each "
      "airport?\"\n"
      "    # counts.json: {\"type\": \"object\", \"required\": [\"EWR\", \"JFK\", \"LGA\"],\n"
      "    #   \"additionalProperties\": {\"type\": \"integer\"}}\n"
      "  jq -c '.jobs[]' report.json | ba-agent submit --file -\n\n"
      "An id that the tenant used before runs nothing. --wait says so, where PostgreSQL is\n"
      "configured, and shows the result that there is: exit code by its outcome if the content is\n"
      "the same, 3 if it is another (that job was not run). Without --wait nobody looks.\n"
      "Where the waiting ends first (time, Ctrl-C, a database that goes down), the job is run all\n"
      "the same: with --json, a line says where each such job stands, as without --wait.");
  auto arguments = std::make_shared<SubmitArguments>();
  auto metadata = std::make_shared<std::vector<std::string>>();
  auto timeout = std::make_shared<double>(600);
  app->add_option("question", arguments->questions,
                  "The question; several make one job of several rounds; - reads standard input");
  app->add_option("--file", arguments->file,
                  "A job as JSON (AnalysisJob), a list of them, or JSON lines; - is standard input")
      ->type_name("FILE");
  add_submit_fields(*app, *arguments);
  app->add_option("--meta", *metadata, "key=value, echoed in the result; may be repeated")
      ->allow_extra_args(false);
  auto* wait = app->add_flag("--wait", arguments->wait, "Follow the job and print its answer");
  app->add_option("--timeout", *timeout, "Seconds to wait at most (default 600)")
      ->check(seconds_from(0.001, 1e7))
      ->needs(wait);
  app->add_flag("--quiet", arguments->quiet, "No progress");
  json_flag(*app, arguments->json);
  app->callback([=] {
    for (const std::string& pair : *metadata) {
      const std::size_t equals = pair.find('=');
      if (equals == 0 || equals == std::string::npos)
        throw CLI::ValidationError("--meta", "\"" + pair + "\" is not key=value");
      arguments->metadata[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    if (arguments->questions.empty() == arguments->file.empty())
      throw CLI::ValidationError("submit", "give a question or --file, one of them");
    arguments->timeout = Milliseconds(static_cast<std::int64_t>(*timeout * 1000));
    chosen(*arguments);
  });
}

}  // namespace ba
