// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_responses/openai_responses_repair.hpp"

#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/openai_responses/openai_responses_request.hpp"

namespace ba {
namespace {

void append_without_id(std::string& out, JsonView item) {
  bool first = true;
  out += '{';
  item.for_each_member([&](std::string_view key, JsonView value) {
    if (key == "id") return;
    out += first ? "\"" : ",\"";
    first = false;
    out += key;
    out += "\":";
    out += value.raw();
  });
  out += '}';
}

}  // namespace

std::string without_reasoning(std::string_view body) {
  const auto json = JsonView::parse(body);
  if (!json) return std::string(body);
  const JsonView input = (*json)["input"];
  if (!input.is(JsonKind::Array)) return std::string(body);
  std::string items;
  bool left_out = false;
  input.for_each_element([&](JsonView item) {
    if (item["type"].equals("reasoning")) {
      left_out = true;
      return;
    }
    if (!items.empty()) items += ',';
    append_without_id(items, item);
  });
  if (!left_out) return std::string(body);
  const auto start = static_cast<std::size_t>(input.raw().data() - body.data());
  std::string out(body.substr(0, start));
  out += '[' + items + ']';
  out += body.substr(start + input.raw().size());
  return out;
}

std::string without_include(std::string_view body) {
  std::string out(body);
  // Within a text its quotation marks would be escaped; of the rest, it stands before all else.
  const std::size_t at = out.find(kIncludeReasoning);
  if (at != std::string::npos) out.erase(at, kIncludeReasoning.size());
  return out;
}

}  // namespace ba
