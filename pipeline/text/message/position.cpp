// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/position.hpp"

#include <charconv>

namespace ba {
namespace {

/// The number that a text begins with, which is taken off it; none if it doesn't begin with one.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

bool take(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string round_id(const JobId& job, int round) {
  return job.value + "/" + std::to_string(round);
}

MessageId message_id(const JobId& job, const Position& position) {
  std::string text = round_id(job, position.round) + "/" + std::to_string(position.step);
  if (position.index > 0) text += "." + std::to_string(position.index);
  return MessageId(std::move(text));
}

std::optional<Position> position_in(const MessageId& id, std::string_view round_id) {
  const std::size_t slash = round_id.rfind('/');
  if (slash == round_id.npos || !id.value.starts_with(round_id)) return std::nullopt;
  std::string_view of_round = round_id.substr(slash + 1);
  std::string_view rest = std::string_view(id.value).substr(round_id.size());
  const auto round = take_number(of_round);
  if (!round || !of_round.empty() || !take(rest, '/')) return std::nullopt;
  const auto step = take_number(rest);
  if (!step) return std::nullopt;
  Position position{*round, *step, 0};
  if (take(rest, '.')) {
    const auto index = take_number(rest);
    if (!index) return std::nullopt;
    position.index = *index;
  }
  if (!rest.empty()) return std::nullopt;
  return position;
}

}  // namespace ba
