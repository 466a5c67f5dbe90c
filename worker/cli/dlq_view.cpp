// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/dlq_view.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/contract/base64.hpp"
#include "pipeline/message/utf8.hpp"
#include "worker/cli/table.hpp"
#include "worker/cli/wording.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kValueBytesShown = 2000;

std::string source_text(const RecordSource& source) {
  return source.topic + "[" + std::to_string(source.partition) + "]@" +
         std::to_string(source.offset);
}

std::string redrive_text(const Redrive& redrive) {
  std::string text = redrive.sent ? "redriven " : "a redrive was begun ";
  text += clock_text(redrive.at) + " by " + redrive.by;
  if (!redrive.new_job.empty()) text += " as " + redrive.new_job;
  if (!redrive.sent) text += "; nobody knows whether the record was sent";
  return text;
}

Json as_json(const Redrive& redrive) {
  return {{"by", redrive.by},
          {"at", to_rfc3339(redrive.at)},
          {"new_job", redrive.new_job},
          {"sent", redrive.sent}};
}

void field(Terminal& terminal, const char* name, const std::string& value) {
  if (!value.empty()) terminal.out() << "  " << name << "  " << printable(value) << "\n";
}

}  // namespace

std::string last_redrive_text(const DeadThing& thing) {
  return thing.redrives.empty() ? "" : redrive_text(thing.redrives.back());
}

void show_dead_table(const std::vector<DeadThing>& things, Terminal& terminal) {
  Table table({"ID", "WHEN (UTC)", "REASON", "FIELD", "SOURCE", "REDRIVEN", "MESSAGE"});
  for (const DeadThing& thing : things)
    table.add({thing.id(), clock_text(thing.at), thing.reason, thing.field,
               source_text(thing.source), std::to_string(thing.redrives.size()), thing.message});
  table.write(terminal);
}

void show_dead_head(const DeadThing& thing, Terminal& terminal) {
  terminal.out() << terminal.styled(Style::Bold, printable(thing.id())) << "  "
                 << terminal.styled(Style::Red, printable(thing.reason)) << "\n";
  field(terminal, "field   ", thing.field);
  field(terminal, "message ", thing.message);
  field(terminal, "when    ", clock_text(thing.at) + " UTC");
  field(terminal, "source  ", source_text(thing.source));
  for (const Redrive& redrive : thing.redrives) field(terminal, "redrive ", redrive_text(redrive));
}

void show_dead_record(const DeadRecord& record, bool full, Terminal& terminal) {
  if (record.key) field(terminal, "key     ", *record.key);
  for (const auto& [name, value] : record.headers) field(terminal, "header  ", name + ": " + value);
  const std::size_t shown = full ? record.value.size() : kValueBytesShown;
  terminal.out() << "\n" << printable(record.value.substr(0, shown)) << "\n";
  if (record.value.size() > shown)
    terminal.message("the first " + std::to_string(shown) + " of " +
                     thousands(static_cast<std::int64_t>(record.value.size())) +
                     " bytes; --full shows all");
}

std::string dead_as_json(const DeadThing& thing, const std::optional<DeadRecord>& record) {
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
  for (const Redrive& redrive : thing.redrives) json["redrives"].push_back(as_json(redrive));
  if (record) {
    json["key_base64"] = record->key ? Json(base64_encoded(*record->key)) : Json(nullptr);
    json["value_base64"] = base64_encoded(record->value);
    if (!utf8_defect(record->value)) json["value"] = record->value;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ba
