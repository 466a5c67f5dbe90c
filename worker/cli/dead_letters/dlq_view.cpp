// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/dead_letters/dlq_view.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/text/contract/dead_letter.hpp"
#include "pipeline/text/contract/record.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba::cli {
namespace {

std::string reason_problem(const std::string& word) {
  for (const auto& codes : {std::vector<std::string_view>(kRecordCodes.begin(), kRecordCodes.end()),
                            std::vector<std::string_view>(kJobCodes.begin(), kJobCodes.end())})
    if (std::find(codes.begin(), codes.end(), word) != codes.end()) return {};
  return "\"" + word + "\" is no reason; there are: " + joined(kRecordCodes) + ", " +
         joined(kJobCodes);
}

using Json = nlohmann::ordered_json;

constexpr std::size_t kValueBytesShown = 2000;

std::string source_text(const RecordSource& source) {
  return source.topic + "[" + std::to_string(source.partition) + "]@" +
         std::to_string(source.offset);
}

std::string redrive_text(const storage::Redrive& redrive) {
  std::string text = redrive.sent ? "redriven " : "a redrive was begun ";
  text += clock_text(redrive.at) + " by " + redrive.by;
  if (!redrive.new_job.empty()) text += " as " + redrive.new_job;
  if (!redrive.sent) text += "; nobody knows whether the record was sent";
  return text;
}

Json as_json(const storage::Redrive& redrive) {
  return {{"by", redrive.by},
          {"at", to_rfc3339(redrive.at)},
          {"new_job", redrive.new_job},
          {"sent", redrive.sent}};
}

Json as_json(const storage::DeadThing& thing) {
  Json json{{"id", thing.id()},
            {"kind", thing.job ? "job" : "record"},
            {"reason", thing.reason},
            {"field", thing.field},
            {"message", thing.message},
            {"at", to_rfc3339(thing.at)},
            {"topic", thing.source.topic},
            {"partition", thing.source.partition},
            {"offset", thing.source.offset},
            {"redrives", Json::array()}};
  for (const storage::Redrive& redrive : thing.redrives)
    json["redrives"].push_back(as_json(redrive));
  return json;
}

std::string line_of(const Json& json) { return dump_exact(json); }

void field(Terminal& terminal, const char* name, const std::string& value) {
  if (!value.empty()) terminal.out() << "  " << name << "  " << printable(value) << "\n";
}

}  // namespace

void declare_dlq_filter(CLI::App& app, DlqArguments& dlq) {
  filter_option(app, "--tenant", dlq.tenant,
                "Only this tenant's jobs (default: all); a record that is no job has no tenant");
  app.add_option("--reason", dlq.reason,
                 "Only with this reason: " + joined(kRecordCodes) + "; " + joined(kJobCodes))
      ->check(reason_problem);
  age_option(app, "--since", dlq.since, "Only of this time until now");
  max_option(app, dlq.rows_max);
}

bool filtered(const DlqArguments& arguments) {
  return !arguments.tenant.empty() || !arguments.reason.empty() || arguments.since.has_value();
}

storage::DeadFilter filter_of(const DlqArguments& arguments) {
  storage::DeadFilter filter;
  filter.ids = arguments.ids;
  filter.tenant = arguments.tenant;
  filter.reason = arguments.reason;
  filter.newer_than = arguments.since;
  filter.rows_max = arguments.rows_max;
  return filter;
}

std::string last_redrive_text(const storage::DeadThing& thing) {
  return thing.redrives.empty() ? "" : redrive_text(thing.redrives.back());
}

void show_dead_table(const std::vector<storage::DeadThing>& things, Terminal& terminal) {
  Table table({"ID", "WHEN (UTC)", "REASON", "FIELD", "SOURCE", "REDRIVEN", "MESSAGE"});
  for (const storage::DeadThing& thing : things)
    table.add({thing.id(), clock_text(thing.at), thing.reason, thing.field,
               source_text(thing.source), std::to_string(thing.redrives.size()), thing.message});
  table.write(terminal);
}

void show_dead_head(const storage::DeadThing& thing, Terminal& terminal) {
  terminal.out() << terminal.styled(Style::Bold, printable(thing.id())) << "  "
                 << terminal.styled(Style::Red, printable(thing.reason)) << "\n";
  field(terminal, "field   ", thing.field);
  field(terminal, "message ", thing.message);
  field(terminal, "when    ", clock_text(thing.at) + " UTC");
  field(terminal, "source  ", source_text(thing.source));
  for (const storage::Redrive& redrive : thing.redrives)
    field(terminal, "redrive ", redrive_text(redrive));
}

void show_dead_record(const DeadLetter& letter, bool full, Terminal& terminal) {
  if (letter.key) field(terminal, "key     ", *letter.key);
  for (const auto& [name, value] : letter.headers) field(terminal, "header  ", name + ": " + value);
  const std::size_t shown = full ? letter.value.size() : kValueBytesShown;
  terminal.out() << "\n" << printable(letter.value.substr(0, shown)) << "\n";
  if (letter.value.size() > shown)
    terminal.message("the first " + std::to_string(shown) + " of " +
                     thousands(static_cast<std::int64_t>(letter.value.size())) +
                     " bytes; --full shows all");
}

std::string dead_as_json(const storage::DeadThing& thing) { return line_of(as_json(thing)); }

std::string dead_record_as_json(const storage::DeadThing& thing, const DeadLetter& letter) {
  Json json = as_json(thing);
  if (!utf8_defect(letter.value)) json["value"] = letter.value;
  json["dead_letter"] = parse_exact_known<Json>(dead_letter_to_json(letter));
  return line_of(json);
}

Result<std::string> dead_job_as_json(const storage::DeadThing& thing,
                                     const std::optional<OutboxRecord>& record) {
  Json json = as_json(thing);
  json["dead_letter"] = nullptr;
  if (record) {
    const auto letter = job_dead_letter_to_json(*record);
    if (!letter) return letter.error();
    json["dead_letter"] = parse_exact_known<Json>(*letter);
  }
  return line_of(json);
}

}  // namespace ba::cli
