// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/terminal.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "pipeline/text/message/utf8.hpp"

namespace ba::cli {
namespace {

constexpr std::size_t kMessageBytesMax = 4'000;  // of an error that quotes what was given

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

Error configuration_error(std::string message) {
  Error error = invalid_argument(std::move(message));
  error.detail = kConfigurationDetail;
  return error;
}

Error usage_error(std::string message) {
  Error error = invalid_argument(std::move(message));
  error.detail = kUsageDetail;
  return error;
}

int exit_code_of(const Error& error) {
  if (error.detail == kConfigurationDetail) return kExitConfiguration;
  if (error.detail == kUsageDetail) return kExitUsage;
  switch (error.code) {
    case ErrorCode::Unavailable:
      return kExitUnavailable;
    case ErrorCode::Timeout:
    case ErrorCode::RateLimited:
    case ErrorCode::Overloaded:
      return kExitTemporary;
    case ErrorCode::Authentication:
    case ErrorCode::PermissionDenied:
      return kExitConfiguration;
    default:
      return error.retry == Retry::Later ? kExitTemporary : kExitFailed;
  }
}

int exit_code_of_start(const Error& error) {
  // Conflict: a schema that isn't migrated is as wrong as topics that are missing.
  if (error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::NotFound ||
      error.code == ErrorCode::Conflict)
    return kExitConfiguration;
  return exit_code_of(error);
}

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
  const std::string text = printable(error.message.empty() ? to_string(error.code) : error.message);
  failure(text.size() <= kMessageBytesMax ? text
                                          : std::string(utf8_prefix(text, kMessageBytesMax)) +
                                                "… (" + std::to_string(text.size()) + " bytes)");
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

namespace {

/// C1 controls, and the marks that turn the direction of what follows (UAX #9).
bool steers(std::string_view letter) {
  if (letter.size() == 1) {
    const auto byte = static_cast<unsigned char>(letter[0]);
    return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
  }
  return letter < "\u00a0" || (letter >= "\u202a" && letter <= "\u202e") ||
         (letter >= "\u2066" && letter <= "\u2069");
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    const std::string_view letter = text.substr(0, std::max<std::size_t>(length, 1));
    // Of a C1 control the second byte is its number.
    const std::string_view shown = letter.size() == 2 ? letter.substr(1) : letter;
    out += length == 0 || steers(letter) ? hex_escaped(shown) : std::string(letter);
    text.remove_prefix(letter.size());
  }
  return out;
}

}  // namespace ba::cli
