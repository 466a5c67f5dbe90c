// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/terminal.hpp"

#include <array>
#include <cstdio>
#include <ostream>

#include "worker/cli/exit_code.hpp"

namespace ba {
namespace {

std::string_view code_of(Style style) {
  switch (style) {
    case Style::Plain:
      return "";
    case Style::Bold:
      return "\x1b[1m";
    case Style::Dim:
      return "\x1b[2m";
    case Style::Green:
      return "\x1b[32m";
    case Style::Yellow:
      return "\x1b[33m";
    case Style::Red:
      return "\x1b[31m";
    case Style::Cyan:
      return "\x1b[36m";
  }
  return "";
}

}  // namespace

Terminal::Terminal(std::ostream& out, std::ostream& err, Traits traits)
    : out_(out), err_(err), traits_(traits) {}

std::string Terminal::styled(Style style, std::string_view text) const {
  const bool colour = traits_.colours && traits_.out_is_terminal && style != Style::Plain;
  if (!colour) return std::string(text);
  return std::string(code_of(style)) + std::string(text) + "\x1b[0m";
}

void Terminal::message(std::string_view text) {
  live("");
  out_.flush();  // so that data and messages stay in order on one terminal
  err_ << redaction_.clean(text) << std::endl;
}

void Terminal::failure(std::string_view text) { message("ba-agent: " + std::string(text)); }

int Terminal::fail(const Error& error) {
  failure(printable(error.message.empty() ? to_string(error.code) : error.message));
  return exit_code_of(error);
}

void Terminal::live(std::string_view text) {
  if (!traits_.err_is_terminal) return;
  if (text.empty() && !live_line_) return;
  err_ << "\r\x1b[2K";
  // Cut at the terminal's edge: of a line that went on below it, only the last row could be wiped.
  if (!text.empty()) err_ << "\x1b[?7l" << text << "\x1b[?7h";
  err_ << std::flush;
  live_line_ = !text.empty();
}

std::string hex_escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= 0x20 && byte < 0x7f) {
      out += letter;
      continue;
    }
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "\\x%02x", byte);
    out += code.data();
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto letter = static_cast<unsigned char>(text[at]);
    // U+0080 to U+009F, too, are control characters to a terminal.
    const bool c1 =
        letter == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    const bool control = (letter < 0x20 && letter != '\n' && letter != '\t') || letter == 0x7f;
    if (!control && !c1) {
      out += text[at];
      continue;
    }
    std::array<char, 8> code{};
    const unsigned shown = c1 ? static_cast<unsigned char>(text[++at]) : letter;
    std::snprintf(code.data(), code.size(), "\\x%02x", shown);
    out += code.data();
  }
  return out;
}

}  // namespace ba
