// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/conversations/carrier_lines.hpp"

#include "pipeline/text/message/json_text.hpp"

namespace ba {
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

}  // namespace ba
