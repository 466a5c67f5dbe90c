// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/encode/document_codec.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/core/tool/data_summary.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/toon.hpp"
#include "pipeline/text/encoding/xml.hpp"
#include "worker/settings/yaml_document.hpp"

namespace ba::cli {
namespace {

std::string encoded(const EncodeArguments& arguments, const OrderedJson& value) {
  if (arguments.format == DataEncoding::Compact) {
    ToonWriting writing;
    writing.delimiter = arguments.delimiter;
    writing.indent = arguments.indent;
    return toon_encode(value, writing);
  }
  return encode_result(arguments.format, value, data_summary(value), arguments.name);
}

Result<OrderedJson> decoded(const EncodeArguments& arguments, std::string_view text) {
  if (arguments.format == DataEncoding::Yaml) return settings::yaml_decode_result(text);
  if (arguments.format == DataEncoding::Xml) return xml_decode(text);
  ToonReading reading;
  reading.indent = arguments.indent;
  reading.strict = !arguments.lenient;
  return toon_decode(text, reading);
}

LineAnswer refused(std::string_view id, const std::string& why) {
  return {with_id(id, write_json_document(OrderedJson{{"error", why}})), false};
}

LineAnswer answered(std::string_view id, const char* name, OrderedJson value) {
  OrderedJson answer;
  answer[name] = std::move(value);
  return {with_id(id, write_json_document(answer)), true};
}

}  // namespace

std::optional<std::string> problem_of(const EncodeArguments& arguments) {
  const bool compact = arguments.format == DataEncoding::Compact;
  if (!compact && (arguments.delimiter != ',' || arguments.indent != 2 || arguments.lenient))
    return "--delimiter, --indent and --lenient are for --format compact only";
  if (arguments.lenient && !arguments.decode) return "--lenient needs --decode";
  return std::nullopt;
}

Result<std::string> convert_document(const EncodeArguments& arguments, std::string_view text) {
  if (arguments.decode) {
    const auto value = decoded(arguments, text);
    if (!value) return value.error();
    return write_json_document(*value);
  }
  const auto value = read_json_document(text);
  if (!value) return value.error();
  return encoded(arguments, *value);
}

LineAnswer answer_line(const EncodeArguments& arguments, std::string_view line) {
  auto asked = read_json_document(line, kEncodedDepthMax + 1);
  if (!asked) return refused(kNoId, asked.error().message);
  if (!asked->is_object()) return refused(kNoId, "a line must be an object with \"id\"");
  const std::string_view id = id_of_line(line);
  const char* const wanted = arguments.decode ? "text" : "value";
  const auto given = asked->find(wanted);
  if (given == asked->end()) return refused(id, std::string("\"") + wanted + "\" is missing");
  if (!arguments.decode) return answered(id, "text", encoded(arguments, *given));
  if (!given->is_string()) return refused(id, "\"text\" must be a string");
  auto value = decoded(arguments, given->get_ref<const std::string&>());
  if (!value) return refused(id, value.error().message);
  return answered(id, "value", std::move(*value));
}

LineAnswer refused_line(const std::string& why) { return refused(kNoId, why); }

}  // namespace ba::cli
