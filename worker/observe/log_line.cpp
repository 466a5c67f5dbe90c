// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/log_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "pipeline/text/message/utf8.hpp"
#include "pipeline/text/secret/secret.hpp"
#include "pipeline/text/secret/secret_forms.hpp"

namespace ba::observe {
namespace {

constexpr std::size_t kValueBytesMax = 8 * 1024;     // of one field: a log line is no archive
constexpr std::size_t kCleanedBytesMax = 12 * 1024;  // more, so that no secret is cut in two
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kReset = "\x1b[0m";

/// What a terminal would obey: C0, DEL, and C1 in its two bytes.
bool steers(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter[0]);
  if (letter.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xC2 && static_cast<unsigned char>(letter[1]) < 0xA0;
}

void append_escaped(std::string& out, std::string_view text) {
  const bool cut = text.size() > kValueBytesMax;
  if (cut) text = text.substr(0, kValueBytesMax);
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    const std::string_view letter = text.substr(0, std::max<std::size_t>(length, 1));
    if (letter == "\"" || letter == "\\") {
      out.append("\\").append(letter);
    } else if (letter == "\n") {
      out += "\\n";
    } else if (steers(letter)) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned char>(letter.back()));
      out += code.data();
    } else {
      out += length == 0 ? kReplacement : letter;
    }
    text.remove_prefix(letter.size());
  }
  if (cut) out += "…";
}

/// A text as it may be seen; `storage` holds it where something had to be masked.
std::string_view seen(std::string_view text, const Redaction& redaction, std::string& storage) {
  text = text.substr(0, kCleanedBytesMax);
  auto cleaned = redaction.cleaned(text);
  if (!cleaned) return text;
  storage = *std::move(cleaned);
  return storage;
}

std::string_view seen(const LogField& field, const Redaction& redaction, std::string& storage) {
  if (secret_name(field.name)) return kSecretMask;
  return seen(std::get<std::string_view>(field.value), redaction, storage);
}

void append_number(std::string& out, const LogField& field) {
  if (const auto* whole = std::get_if<std::int64_t>(&field.value)) {
    out += std::to_string(*whole);
  } else if (const auto* flag = std::get_if<bool>(&field.value)) {
    out += *flag ? "true" : "false";
  } else if (const double real = std::get<double>(field.value); std::isfinite(real)) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.9g", real);
    out += digits.data();
  } else {
    out += "null";
  }
}

bool is_text(const LogField& field) {
  return std::holds_alternative<std::string_view>(field.value);
}

void append_member(std::string& out, std::string_view name, std::string_view text) {
  out += out.size() > 1 ? ",\"" : "\"";
  append_escaped(out, name);
  out += "\":\"";
  append_escaped(out, text);
  out += '"';
}

/// RFC 3339 with milliseconds.
std::string short_time(WallTime time) {
  std::string text = to_rfc3339(time);
  if (text.size() > 24) text.replace(23, std::string::npos, "Z");
  return text;
}

std::string_view colour_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "\x1b[2m";
    case LogLevel::Info:
      return "\x1b[32m";
    case LogLevel::Warning:
      return "\x1b[33m";
    case LogLevel::Error:
    case LogLevel::Critical:
      return "\x1b[31m";
  }
  return "";
}

std::string_view padded_name(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "DEBUG";
    case LogLevel::Info:
      return "INFO ";
    case LogLevel::Warning:
      return "WARN ";
    case LogLevel::Error:
      return "ERROR";
    case LogLevel::Critical:
      return "CRIT ";
  }
  return "";
}

/// Whether a value can stand without quotes.
bool simple(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t\n\"=\\") == std::string_view::npos;
}

}  // namespace

std::string json_line(const LogLine& line, const std::map<std::string, std::string>& tags,
                      const Redaction& redaction) {
  std::string out = "{";
  append_member(out, "time", to_rfc3339(line.time));
  append_member(out, "level", name_of(kLogLevelNames, line.level));
  std::string storage;
  append_member(out, "msg", seen(line.text, redaction, storage));
  for (const auto& [name, value] : tags) append_member(out, name, seen(value, redaction, storage));
  for (const LogField& field : line.fields) {
    if (is_text(field)) {
      append_member(out, field.name, seen(field, redaction, storage));
      continue;
    }
    out += ",\"";
    append_escaped(out, field.name);
    out += "\":";
    append_number(out, field);
  }
  return out + "}";
}

std::string text_line(const LogLine& line, const Redaction& redaction, bool colours) {
  std::string out = short_time(line.time) + " ";
  if (colours) out += colour_of(line.level);
  out += padded_name(line.level);
  if (colours) out += kReset;
  out += " ";
  std::string storage;
  append_escaped(out, seen(line.text, redaction, storage));
  const char* gap = "  ";
  for (const LogField& field : line.fields) {
    out += gap;
    gap = " ";
    append_escaped(out, field.name);
    out += '=';
    if (!is_text(field)) {
      append_number(out, field);
      continue;
    }
    const std::string_view value = seen(field, redaction, storage);
    const char* quote = simple(value) ? "" : "\"";
    out += quote;
    append_escaped(out, value);
    out += quote;
  }
  return out;
}

std::string without_colours(std::string_view line) {
  std::string out;
  for (;;) {
    const std::size_t escape = line.find('\x1b');
    out += line.substr(0, escape);
    if (escape == std::string_view::npos) return out;
    const std::size_t end = line.find('m', escape);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
}

}  // namespace ba::observe
