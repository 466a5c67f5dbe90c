#pragma once
// SPDX-License-Identifier: Apache-2.0
// The log (port/log.hpp) on spdlog: a line is made and redacted on the caller's thread, then queued
// (bounded; the oldest line gives way) and written by a thread of its own, so that a blocked output
// never blocks the worker. Lines that an output refuses (full disk, broken pipe) are counted and
// named once it takes some again. Owned by the process and destroyed last: the destructor writes
// what is queued.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/port/log.hpp"

namespace ba::observe {

/// How the log is written, as main fills it in from the configuration. Values.
struct LogSettings {
  LogLevel level = LogLevel::Info;
  bool json = true;  ///< JSON lines, else text for people, in colours on terminals
  bool to_stdout = false;
  bool to_stderr = true;
  std::string file;                         ///< empty: none; appended to
  std::map<std::string, std::string> tags;  ///< in every JSON line: service, environment, …
  std::vector<std::string> secrets;         ///< never written, whatever holds them
};

class StructuredLog final : public Log {
 public:
  /// Fails when the log file can't be opened.
  static Result<std::unique_ptr<StructuredLog>> create(const LogSettings& settings);
  ~StructuredLog() override;

  bool enabled(LogLevel level) const override;
  void write(LogLevel level, std::string_view text,
             std::initializer_list<LogField> fields) override;

  void set_level(LogLevel level);

  /// The log file was moved away: makes a new one of its name (any thread).
  void reopen();

  /// As the destructor does, for a process that ends without it: writes what is queued, for a
  /// moment at most per output that takes nothing. Any thread, once.
  void finish();

  /// Lines that gave way or that no output took so far, all outputs together.
  std::int64_t dropped() const;

 private:
  struct Parts;
  explicit StructuredLog(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace ba::observe
