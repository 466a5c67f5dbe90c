// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/conversations/carrier_lines.hpp"

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba::cli {
namespace {

Error not_json(const Error& why) { return invalid_argument("not JSON: " + why.message); }

Result<Conversion> converted(const ConvertArguments& arguments, JsonView document) {
  auto reading = read_carrier(arguments.from, document);
  if (!reading) return reading.error();
  auto text = write_carrier(arguments.to, reading->messages);
  if (!text) return text.error();
  Conversion conversion{std::move(*text), std::move(reading->losses)};
  conversion.losses.add(conversion.text.losses);
  if (!arguments.strict || conversion.losses.empty()) return conversion;
  const Losses::Kind& first = conversion.losses.kinds().front();
  Error error =
      invalid_argument(first.field + ": " + first.what + " has no place in the form " +
                       std::string(name_of(kCarrierFormatNames, arguments.to)) + " (--strict)");
  error.detail = first.field;
  return error;
}

LineAnswer refused(std::string_view id, const std::string& field, const std::string& why) {
  std::string line;
  {
    ObjectWriter out(line);
    out.raw("id", id.empty() ? "null" : id);
    ObjectWriter error(out.member("error"));
    error.text("field", field);
    error.text("message", why);
  }
  return {std::move(line), false};
}

constexpr std::string_view kPrefix = "inherited/";

/// Whether it ends like "<job>/<round>/<step>", or was given here before.
bool may_be_of_a_job(std::string_view id) {
  const std::size_t last = id.rfind('/');
  if (last == std::string_view::npos || last + 1 == id.size()) return false;
  const std::string_view end = id.substr(last + 1);
  return end.find_first_not_of("0123456789.") == std::string_view::npos;
}

void settle_id(MessageMeta& meta, std::size_t number) {
  const std::string& id = meta.message_id.value;
  if (!id.empty() && !may_be_of_a_job(id)) return;
  if (!id.empty()) {
    std::string json;
    append_json_string(json, id);
    meta.additional_kwargs.try_emplace(std::string(kImportedIdKwarg), json);
  }
  meta.message_id = MessageId(std::string(kPrefix) + std::to_string(number));
}

void settle_round(MessageMeta& meta, int round) {
  std::string& id = meta.round_id;
  if (id.starts_with(kPrefix) || (id.empty() && round == 0)) return;
  id = std::string(kPrefix) + (id.empty() ? std::to_string(round) : id);
}

}  // namespace

Result<Conversion> convert_conversation(const ConvertArguments& arguments, std::string_view json) {
  const auto document = JsonView::parse(json);
  if (!document) return not_json(document.error());
  return converted(arguments, *document);
}

ConvertedLine convert_line(const ConvertArguments& arguments, std::string_view line) {
  const auto asked = JsonView::parse(line);
  if (!asked) return {refused("", "", not_json(asked.error()).message), {}};
  if (!asked->is(JsonKind::Object))
    return {refused("", "", "a line must be an object with \"id\" and \"messages\""), {}};
  const std::string_view id = (*asked)["id"].raw();
  auto conversion = converted(arguments, *asked);
  if (!conversion) return {refused(id, conversion.error().detail, conversion.error().message), {}};
  ConvertedLine converted{{}, std::move(conversion->losses)};
  {
    ObjectWriter out(converted.answer.text);
    out.raw("id", id.empty() ? "null" : id);
    if (!conversion->text.system.empty()) out.raw("system", conversion->text.system);
    out.raw("messages", conversion->text.messages);
  }
  return converted;
}

LineAnswer refused_conversation_line(const std::string& why) { return refused("", "", why); }

std::string describe(const Losses::Kind& kind) {
  if (kind.count == 1) return kind.what + " (at " + kind.field + ")";
  return kind.what + " (" + std::to_string(kind.count) + " times, first at " + kind.field + ")";
}

void settle_in(std::vector<Message>& history, const ConversationId& conversation) {
  int round = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    MessageMeta& meta = meta_of(history[i]);
    if (std::holds_alternative<HumanMessage>(history[i]) && !is_hidden(history[i])) ++round;
    settle_round(meta, round);
    settle_id(meta, i + 1);
    meta.conversation_id = conversation;
  }
}

}  // namespace ba::cli
