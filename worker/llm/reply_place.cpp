// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/reply_place.hpp"

#include <charconv>
#include <optional>
#include <string_view>

namespace ba {
namespace {

/// The number that a text begins with; none if it doesn't begin with one.
std::optional<int> leading_number(std::string_view text) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || number < 0) return std::nullopt;
  return number;
}

/// "<job_id>/<round>" and "<job_id>/<round>/<step>[.<index>]": see position.hpp.
std::optional<ReplyPlace> place_after(const MessageMeta& meta) {
  const std::string_view round_id = meta.round_id;
  const std::string_view id = meta.message_id.value;
  const std::size_t slash = round_id.rfind('/');
  if (slash == round_id.npos || id.size() <= round_id.size() + 1) return std::nullopt;
  if (id.substr(0, round_id.size()) != round_id || id[round_id.size()] != '/') return std::nullopt;
  const auto round = leading_number(round_id.substr(slash + 1));
  const auto step = leading_number(id.substr(round_id.size() + 1));
  if (!round || !step) return std::nullopt;
  return ReplyPlace{*round, *step + 1, false, {}};
}

}  // namespace

ReplyPlace reply_place(const ModelRequest& request) {
  ReplyPlace place;
  for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message)
    if (const auto found = place_after(meta_of(**message))) {
      place = *found;
      break;
    }
  place.has_tools = !request.tools.empty();
  if (request.answer_schema.empty())
    for (const ToolSpec& tool : request.tools) place.tool_names.push_back(tool.name);
  return place;
}

}  // namespace ba
