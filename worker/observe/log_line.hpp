#pragma once
// SPDX-License-Identifier: Apache-2.0
// One line of the log as text: JSON for machines, or columns for people. Pure functions.

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "pipeline/base/time.hpp"
#include "pipeline/core/port/log.hpp"
#include "pipeline/text/secret/redaction.hpp"

namespace ba::observe {

struct LogLine {
  WallTime time{};
  LogLevel level = LogLevel::Info;
  std::string_view text;
  std::initializer_list<LogField> fields;
};

/// {"time":…,"level":…,"msg":…,<tags>,<fields>}: one valid JSON object, whatever the bytes of the
/// values are (broken UTF-8 becomes U+FFFD, numbers that are no numbers become null).
std::string json_line(const LogLine& line, const std::map<std::string, std::string>& tags,
                      const Redaction& redaction);

/// A text line as an output takes it that is no terminal. As control characters are escaped, every
/// escape sequence in a line is a colour.
std::string without_colours(std::string_view line);

/// "2026-03-01T12:00:00.123Z INFO  text  job=a round=0"; control characters are escaped, so that
/// no value can forge a line.
std::string text_line(const LogLine& line, const Redaction& redaction, bool colours);

}  // namespace ba::observe
