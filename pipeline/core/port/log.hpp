#pragma once
// SPDX-License-Identifier: Apache-2.0
// Structured logging, as a port: one line of text for a person and fields for a machine. The real
// one is in worker/observe. A text is a constant; what varies goes into fields, whose names are
// snake_case: job, tenant, round, step, incarnation, … Any thread; never blocks on the output.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "pipeline/base/enum_names.hpp"

namespace ba {

enum class LogLevel { Debug, Info, Warning, Error, Critical };
inline constexpr EnumNames<LogLevel, 5> kLogLevelNames{{{LogLevel::Debug, "debug"},
                                                        {LogLevel::Info, "info"},
                                                        {LogLevel::Warning, "warning"},
                                                        {LogLevel::Error, "error"},
                                                        {LogLevel::Critical, "critical"}}};

/// A name and a value; both are borrowed for the duration of the call.
struct LogField {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double, bool> value;

  template <typename Text>
  requires std::is_convertible_v<Text, std::string_view> LogField(std::string_view field,
                                                                  const Text& text)
      : name(field), value(std::string_view(text)) {}

  template <typename Number>
  requires std::is_arithmetic_v<Number> LogField(std::string_view field, Number number)
      : name(field) {
    if constexpr (std::is_same_v<Number, bool>)
      value = number;
    else if constexpr (std::is_floating_point_v<Number>)
      value = static_cast<double>(number);
    else
      value = static_cast<std::int64_t>(number);
  }
};

class Log {
 public:
  virtual ~Log() = default;

  /// Whether lines of this level are written; for fields that are expensive to make.
  virtual bool enabled(LogLevel level) const = 0;
  virtual void write(LogLevel level, std::string_view text,
                     std::initializer_list<LogField> fields) = 0;

  using Fields = std::initializer_list<LogField>;
  void debug(std::string_view text, Fields fields = {}) { write(LogLevel::Debug, text, fields); }
  void info(std::string_view text, Fields fields = {}) { write(LogLevel::Info, text, fields); }
  void warning(std::string_view text, Fields fields = {}) {
    write(LogLevel::Warning, text, fields);
  }
  void error(std::string_view text, Fields fields = {}) { write(LogLevel::Error, text, fields); }
  void critical(std::string_view text, Fields fields = {}) {
    write(LogLevel::Critical, text, fields);
  }
};

}  // namespace ba
