// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/anthropic/anthropic_wire.hpp"

namespace ba::llm {
namespace {

/// Nothing that was thought stands in the open turn then. In a text the quotes would be escaped.
std::string without_enabled(std::string_view settings) {
  std::string out(settings);
  const std::size_t at = out.find(R"(,"thinking":{"type":"enabled")");
  if (at != std::string::npos) out.erase(at, out.find('}', at) + 1 - at);
  return out;
}

}  // namespace

std::string without_thinking(std::string_view body) {
  const auto json = JsonView::parse(body);
  if (!json) return std::string(body);
  std::string out;
  const std::string_view messages = (*json)["messages"].raw();
  out += without_enabled(body.substr(0, static_cast<std::size_t>(messages.data() - body.data())));
  out += '[';
  std::string role;
  (*json)["messages"].for_each_element([&](JsonView message) {
    message["content"].for_each_element([&](JsonView block) {
      if (thinking_block(block)) return;
      const std::string next = message["role"].text();
      if (next == role) {
        out += ',';
      } else {
        out += role.empty() ? "" : "]},";
        out += R"({"role":")" + next + R"(","content":[)";
        role = next;
      }
      out += block.raw();
    });
  });
  out += role.empty() ? "]" : "]}]";
  out += body.substr(static_cast<std::size_t>(messages.data() + messages.size() - body.data()));
  return out;
}

}  // namespace ba::llm
