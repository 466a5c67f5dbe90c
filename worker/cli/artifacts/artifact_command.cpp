// SPDX-License-Identifier: Apache-2.0
// `ba-agent artifact list` and `show`.
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/core/tool/artifact.hpp"
#include "storage/artifact_admin.hpp"
#include "worker/cli/artifacts/artifact_output.hpp"
#include "worker/cli/jobs/named_job.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kListedUses = 20;
constexpr int kShownUses = 1000;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// "FIRST-LAST" or "FIRST-".
std::optional<ByteRange> range_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = number_of(text.substr(0, dash));
  const std::string_view rest = text.substr(dash + 1);
  if (!first) return std::nullopt;
  if (rest.empty()) return ByteRange{*first, std::nullopt};
  const auto last = number_of(rest);
  if (!last || *last < *first) return std::nullopt;
  return ByteRange{*first, *last};
}

CLI::Validator an_artifact_id() {
  return {[](const std::string& text) {
            return well_formed_artifact_id(text)
                       ? std::string()
                       : "\"" + text +
                             "\" can't be an artifact's id: that is \"artifact_\" and 32 digits "
                             "0-9a-f, as `ba-agent artifact list` shows it";
          },
          ""};
}

CLI::Validator a_range() {
  return {[](const std::string& text) {
            return range_of(text) ? std::string()
                                  : "\"" + text +
                                        "\" is no range of bytes: FIRST-LAST, both included and "
                                        "counted from 0, or FIRST-";
          },
          ""};
}

void declare_list(CLI::App& app, ArtifactListArguments& arguments) {
  filter_option(app, "--tenant", arguments.tenant, "Only this tenant's");
  filter_option(app, "--conversation", arguments.conversation, "Only those of this conversation");
  filter_option(app, "--job", arguments.job,
                "Only those that calls of this job gave: its id, or TENANT/JOB");
  app.add_option("--limit,--max", arguments.rows_max, "List at most this many")
      ->capture_default_str()
      ->check(number_from(1, 10'000));
  CLI::Option* lines = app.add_flag("--jsonl", arguments.jsonl, "Answer in JSON, an object a line");
  json_flag(app, arguments.json, JsonForm::Array)->excludes(lines);
}

void declare_show(CLI::App& app, ArtifactShowArguments& arguments) {
  app.add_option("id", arguments.id, "Its id")->required()->check(an_artifact_id());
  CLI::Option* tenant =
      filter_option(app, "--tenant", arguments.tenant, "Only if it is this tenant's");
  CLI::Option* data = app.add_flag("--data", arguments.data,
                                   "Print its data, compact JSON, as it is; up to 1 MiB of it goes "
                                   "to standard output")
                          ->needs(tenant);
  app.add_option_function<std::string>(
         "--range", [&arguments](const std::string& text) { arguments.range = range_of(text); },
         "Only these bytes of the data: FIRST-LAST, from 0, or FIRST-")
      ->check(a_range())
      ->needs(data);
  filter_option(app, "--output", arguments.output, "A new file for the data")->needs(data);
  json_flag(app, arguments.json, JsonForm::Document)->excludes(data);
}

std::string text_of(const Json& json, int indent) { return dump_exact(json, indent) + "\n"; }

/// Of the newest uses, each once.
std::vector<std::string> names_of(const storage::KeptArtifact& artifact,
                                  std::string storage::ArtifactUse::*name) {
  std::set<std::string> names;
  for (const storage::ArtifactUse& use : artifact.uses)
    if (!(use.*name).empty()) names.insert(use.*name);
  return {names.begin(), names.end()};
}

Json as_json(const storage::ArtifactUse& use) {
  Json json = {{"conversation", use.conversation}, {"job", use.job}};
  if (use.taken_over) return json;
  json["round"] = use.position.round;
  json["step"] = use.position.step;
  json["index"] = use.position.index;
  json["tool"] = use.tool;
  return json;
}

Json as_json(const storage::KeptArtifact& artifact) {
  Json uses = Json::array();
  for (const storage::ArtifactUse& use : artifact.uses) uses.push_back(as_json(use));
  return {{"id", artifact.id},
          {"tenant", artifact.tenant},
          {"bytes", artifact.bytes},
          {"tools", names_of(artifact, &storage::ArtifactUse::tool)},
          {"created_at", artifact.made_at},
          {"last_used_at", artifact.used_at},
          {"kept_in", artifact.in_file ? "file" : "database"},
          {"jobs", names_of(artifact, &storage::ArtifactUse::job)},
          {"references_count", artifact.uses_count},
          {"references", std::move(uses)}};
}

void show_table(const std::vector<storage::KeptArtifact>& artifacts, Terminal& terminal) {
  Table table({"ID", "TENANT", "BYTES", "TOOL", "CREATED", "LAST USED", "REFERENCES", "JOBS"});
  for (const storage::KeptArtifact& artifact : artifacts)
    table.add({artifact.id, artifact.tenant, std::to_string(artifact.bytes),
               joined(names_of(artifact, &storage::ArtifactUse::tool)), artifact.made_at,
               artifact.used_at, std::to_string(artifact.uses_count),
               joined(names_of(artifact, &storage::ArtifactUse::job))});
  table.write(terminal);
}

Result<storage::ArtifactFilter> filter_of(const storage::PgAccess& access,
                                          const ArtifactListArguments& arguments) {
  storage::ArtifactFilter filter;
  filter.tenant = arguments.tenant;
  filter.conversation = arguments.conversation;
  if (arguments.job.empty()) return filter;
  const auto job = named_job(access, arguments.job, arguments.tenant);
  if (!job) return job.error();
  filter.tenant = job->tenant.value;
  filter.job = job->job.value;
  return filter;
}

void show_one(const storage::KeptArtifact& artifact, Terminal& terminal) {
  std::ostream& out = terminal.out();
  out << "id          " << artifact.id << "\ntenant      " << printable(artifact.tenant)
      << "\nsize        " << thousands(artifact.bytes) << " bytes, in "
      << (artifact.in_file ? "a file" : "the database") << "\ncreated     " << artifact.made_at
      << "\nlast used   " << artifact.used_at << "\nreferences  " << artifact.uses_count << "\n";
  if (artifact.uses.empty()) return;
  out << "\n";
  Table table({"CONVERSATION", "JOB", "ROUND", "STEP", "CALL", "TOOL"});
  for (const storage::ArtifactUse& use : artifact.uses) {
    const auto place = [&](int number) { return use.taken_over ? "-" : std::to_string(number); };
    table.add({use.conversation, use.job, place(use.position.round), place(use.position.step),
               place(use.position.index), use.taken_over ? "taken over" : use.tool});
  }
  table.write(terminal);
}

/// Of a tenant that was named, or of any.
Result<storage::KeptArtifact> find_one(const storage::PgAccess& access,
                                       const ArtifactShowArguments& arguments) {
  storage::ArtifactFilter filter;
  filter.id = arguments.id;
  filter.tenant = arguments.tenant;
  auto found = storage::kept_artifacts(access, filter, 1, kShownUses);
  if (!found) return found.error();
  if (!found->empty()) return std::move(found->front());
  const std::string whose =
      arguments.tenant.empty() ? "" : " of tenant \"" + printable(arguments.tenant) + "\"";
  return make_error(ErrorCode::NotFound,
                    "no artifact " + arguments.id + whose +
                        " is kept; `ba-agent artifact list` shows those that are");
}

Error too_much(std::size_t bytes) {
  return usage_error(
      thousands(static_cast<std::int64_t>(bytes)) + " bytes are more than the " +
      thousands(kShownBytesMax) +
      " that go to standard output: name a part with --range FIRST-LAST, or a file with --output "
      "FILE");
}

Result<std::string> data_of(const storage::PgAccess& access, const storage::KeptArtifact& artifact,
                            const std::string& directory) {
  if (!artifact.in_file || !directory.empty())
    return storage::artifact_data(access, TenantId(artifact.tenant), artifact.id, directory);
  return configuration_error("the data of " + artifact.id +
                             " is in a file, and tools.artifacts.directory isn't set: set it "
                             "as the workers have it");
}

int write_data(const std::string& data, const ArtifactShowArguments& arguments,
               Terminal& terminal) {
  const auto part = part_of(data, arguments.range);
  if (!part) return terminal.fail(part.error());
  if (arguments.output.empty()) {
    if (static_cast<std::int64_t>(part->size()) > kShownBytesMax)
      return terminal.fail(too_much(part->size()));
    terminal.out() << *part;
    return kExitOk;
  }
  if (const auto written = write_new_file(arguments.output, *part); !written)
    return terminal.fail(written.error());
  terminal.message(thousands(static_cast<std::int64_t>(part->size())) + " bytes written to " +
                   printable(arguments.output));
  return kExitOk;
}

int list(const ArtifactListArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto filter = filter_of(*session.database, arguments);
  if (!filter) return terminal.fail(filter.error());
  const auto artifacts =
      storage::kept_artifacts(*session.database, *filter, arguments.rows_max, kListedUses);
  if (!artifacts) return terminal.fail(artifacts.error());
  Json all = Json::array();
  for (const storage::KeptArtifact& artifact : *artifacts) {
    if (arguments.jsonl) terminal.out() << text_of(as_json(artifact), -1);
    if (arguments.json) all.push_back(as_json(artifact));
  }
  if (arguments.json) terminal.out() << text_of(all, 2);
  if (arguments.json || arguments.jsonl) return kExitOk;
  if (artifacts->empty()) {
    terminal.message("no such artifacts are kept");
    return kExitOk;
  }
  show_table(*artifacts, terminal);
  if (static_cast<int>(artifacts->size()) == arguments.rows_max)
    terminal.message("the last " + std::to_string(artifacts->size()) + " made; --limit shows more");
  return kExitOk;
}

int show(const ArtifactShowArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const auto artifact = find_one(*session.database, arguments);
  if (!artifact) return terminal.fail(artifact.error());
  if (arguments.data) {
    const auto data = data_of(*session.database, *artifact, session.config().artifacts.directory);
    return data ? write_data(*data, arguments, terminal) : terminal.fail(data.error());
  }
  if (arguments.json)
    terminal.out() << text_of(as_json(*artifact), 2);
  else
    show_one(*artifact, terminal);
  return kExitOk;
}

}  // namespace

Command artifact_list_command() {
  return command<ArtifactListArguments>(
      {.name = "artifact list",
       .summary = "List the artifacts that are kept, the last made first",
       .examples = "  ba-agent artifact list --tenant acme\n"
                   "  ba-agent artifact list --job acme/report-7 --json\n"
                   "  ba-agent artifact list --limit 10000 --jsonl | jq .bytes",
       .needs = kNeedsLedger},
      declare_list, list);
}

Command artifact_show_command() {
  return command<ArtifactShowArguments>(
      {.name = "artifact show",
       .summary = "Show one artifact and the calls that refer to it, or print its data",
       .examples = "  ba-agent artifact show artifact_1f0c9f4b6d6a4a1b8e0d5c3b2a190807\n"
                   "  ba-agent artifact show ID --tenant acme --data --range 0-999\n"
                   "  ba-agent artifact show ID --tenant acme --data --output rows.json",
       .needs = kNeedsLedger},
      declare_show, show);
}

}  // namespace ba::cli
