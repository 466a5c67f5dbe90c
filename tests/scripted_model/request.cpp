// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/request.hpp"

namespace ba::scripted {

namespace {

constexpr std::string_view kParagraph = "\n\n";

bool is_text(const JsonValue& type) {
  return type.equals("text") || type.equals("input_text") || type.equals("output_text");
}

/// How long the line is, with what parts it from the question, that tells a job's date at the
/// beginning of `text`: "Today is Friday, 2026-11-27 (UTC)."; 0: there is none.
std::size_t date_line_size(std::string_view text) {
  constexpr std::string_view kBegin = "Today is ";
  constexpr std::string_view kEnd = ").\n\n";
  if (!text.starts_with(kBegin)) return 0;
  const std::size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return 0;
  const std::string_view line = text.substr(0, end);
  const bool ours = line.find("day, ") != std::string_view::npos &&
                    line.find(" (") != std::string_view::npos &&
                    line.find('\n') == std::string_view::npos;
  return ours ? end + kEnd.size() : 0;
}

/// Messages may have become paragraphs of one.
std::string without_dates(std::string text) {
  for (std::size_t at = 0; at != std::string::npos;) {
    text.erase(at, date_line_size(std::string_view(text).substr(at)));
    at = text.find(kParagraph, at);
    if (at != std::string::npos) at += kParagraph.size();
  }
  return text;
}

}  // namespace

std::string_view to_string(Protocol protocol) {
  switch (protocol) {
    case Protocol::Anthropic:
      return "anthropic";
    case Protocol::OpenAi:
      return "openai";
    case Protocol::OpenAiResponses:
      break;
  }
  return "openai_responses";
}

std::string Turn::text() const {
  if (kind != Kind::Human) return whole_text();
  if (content.is(JsonKind::String)) return without_dates(content.text());
  std::string out;
  if (!content.is(JsonKind::Array)) return out;
  JsonValue block = content.first();
  for (std::uint32_t left = content.size(); left > 0; --left, block = block.next()) {
    if (is_text(block["type"])) out += without_dates(block["text"].text());
  }
  return out;
}

std::string Turn::date_line() const {
  if (kind != Kind::Human) return {};
  const std::string text = whole_text();
  const std::size_t size = date_line_size(text);
  return size == 0 ? std::string() : text.substr(0, size - kParagraph.size());
}

std::string Turn::whole_text() const {
  if (content.is(JsonKind::String)) return content.text();
  std::string out;
  if (!content.is(JsonKind::Array)) return out;
  JsonValue block = content.first();
  for (std::uint32_t left = content.size(); left > 0; --left, block = block.next()) {
    if (is_text(block["type"])) block["text"].append_text(out);
  }
  return out;
}

void Request::clear() {
  std::vector<Turn> kept = std::move(turns);
  kept.clear();
  *this = Request{};
  turns = std::move(kept);
}

void Request::add_turn(Turn::Kind kind, JsonValue content) {
  if (kind == Turn::Kind::Assistant) cached_bytes = input_bytes;
  if (content) add_input(content.raw().size());
  Turn turn{kind, content, false};
  // Nobody said it: what it repeats is the question before it.
  if (kind == Turn::Kind::Human && turn.text().starts_with("<system-reminder>\n# Context Reminder"))
    return;
  turns.push_back(std::move(turn));
}

}  // namespace ba::scripted
