// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/otlp_spans.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kStatusError = 2;

// Of a span's flags: the trace flags of W3C, and whether the parent is of another process.
constexpr unsigned kSampled = 0x001;
constexpr unsigned kSaysWhetherRemote = 0x100;
constexpr unsigned kRemote = 0x200;

std::string nanoseconds(WallTime time) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

struct ValueJson {
  Json operator()(const std::string& text) const { return {{"stringValue", text}}; }
  Json operator()(std::int64_t number) const { return {{"intValue", std::to_string(number)}}; }
  Json operator()(double number) const { return {{"doubleValue", number}}; }
  Json operator()(bool yes) const { return {{"boolValue", yes}}; }
  Json operator()(const std::vector<std::string>& texts) const {
    Json values = Json::array();
    for (const std::string& text : texts) values.push_back({{"stringValue", text}});
    return {{"arrayValue", {{"values", values}}}};
  }
};

Json attributes_json(const std::vector<SpanAttribute>& attributes) {
  Json all = Json::array();
  for (const SpanAttribute& attribute : attributes)
    all.push_back({{"key", attribute.name}, {"value", std::visit(ValueJson{}, attribute.value)}});
  return all;
}

Json span_json(const Span& span) {
  Json json = {{"traceId", span.trace_id}, {"spanId", span.span_id}};
  if (!span.trace_state.empty()) json["traceState"] = span.trace_state;
  if (!span.parent_id.empty()) json["parentSpanId"] = span.parent_id;
  json["flags"] = kSampled | kSaysWhetherRemote | (span.remote_parent ? kRemote : 0);
  json["name"] = span.name;
  json["kind"] = static_cast<int>(span.kind);
  json["startTimeUnixNano"] = nanoseconds(span.start);
  json["endTimeUnixNano"] = nanoseconds(std::max(span.start, span.end));
  json["attributes"] = attributes_json(span.attributes);
  if (span.failed) json["status"] = {{"message", span.failure}, {"code", kStatusError}};
  return json;
}

}  // namespace

void Span::set(std::string_view attribute, std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  add(attribute, std::string(text));
}

std::string otlp_request_of(const TraceResource& resource, std::span<const Span> spans) {
  Json all = Json::array();
  for (const Span& span : spans) all.push_back(span_json(span));
  const Json scope = {{"name", resource.scope_name}, {"version", resource.scope_version}};
  const Json of_scope = {{"scope", scope}, {"spans", std::move(all)}};
  const Json of_resource = {{"resource", {{"attributes", attributes_json(resource.attributes)}}},
                            {"scopeSpans", Json::array({of_scope})}};
  const Json request = {{"resourceSpans", Json::array({of_resource})}};
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::int64_t rejected_spans(std::string_view response) {
  const Json json = Json::parse(response, nullptr, false);
  if (!json.is_object()) return 0;
  const auto partial = json.find("partialSuccess");
  if (partial == json.end() || !partial->is_object()) return 0;
  const auto rejected = partial->find("rejectedSpans");
  if (rejected == partial->end()) return 0;
  if (rejected->is_number_integer())
    return std::max<std::int64_t>(0, rejected->get<std::int64_t>());
  std::int64_t count = 0;
  if (rejected->is_string()) {
    const auto& digits = rejected->get_ref<const std::string&>();
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
  }
  return std::max<std::int64_t>(0, count);
}

}  // namespace ba
