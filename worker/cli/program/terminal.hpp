#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where a command writes: data to `out`, messages to `err`, colours only where a person looks.
// Texts that others wrote pass through printable() first. Also the exit code of every command, by
// cause: part of the contract with scripts; see README. Owned by main; one thread.

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/secret/redaction.hpp"

namespace ba::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,          ///< the thing asked for failed, or does not exist
  kExitUsage = 2,           ///< the command line is wrong
  kExitJobNotDone = 3,      ///< the job ended otherwise than completed
  kExitUnavailable = 69,    ///< Kafka, PostgreSQL or another dependency can't be reached
  kExitTemporary = 75,      ///< try again later: a time-out, an overload
  kExitConfiguration = 78,  ///< the configuration is wrong or lacks something
  kExitInterrupted = 130,   ///< SIGINT
};

int exit_code_of(const Error& error);

/// Of a worker that can't start: what is invalid or missing then is so by the configuration.
int exit_code_of_start(const Error& error);

/// The detail of an error that means: a setting is missing or wrong.
inline constexpr const char* kConfigurationDetail = "configuration";

/// The detail of an error that means: what the command was given can't be read.
inline constexpr const char* kUsageDetail = "usage";

/// InvalidArgument with one of those details.
Error configuration_error(std::string message);
Error usage_error(std::string message);

enum class Style { Plain, Bold, Dim, Green, Yellow, Red, Cyan };

class Terminal {
 public:
  struct Traits {
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    bool colours = false;  ///< wanted where the stream is a terminal
  };

  Terminal(std::ostream& out, std::ostream& err, Traits traits);

  std::ostream& out() { return out_; }
  std::ostream& err() { return err_; }

  /// Texts that no message on `err` may show.
  void hide(std::vector<std::string> secrets) { redaction_ = Redaction(std::move(secrets)); }

  /// A text from elsewhere without these, for `out`.
  std::string clean(std::string_view text) const { return redaction_.clean(text); }

  /// The text in a style for `out`; unchanged where colours aren't wanted.
  std::string styled(Style style, std::string_view text) const;

  /// A message line on `err`, without secrets; a live line is wiped first.
  void message(std::string_view text);

  /// "ba-agent: <text>" on `err`.
  void failure(std::string_view text);

  /// Reports the error and answers with its exit code.
  int fail(const Error& error);

  /// Whether live() shows anything: `err` is a terminal.
  bool is_live() const { return traits_.err_is_terminal; }

  /// Replaces the live line on `err`; an empty text wipes it.
  void live(std::string_view text);

 private:
  std::ostream& out_;
  std::ostream& err_;
  const Traits traits_;
  Redaction redaction_{{}};
  bool live_line_ = false;
};

/// The text without anything that could steer a terminal: control characters but line ends and
/// tabs become "\xNN".
std::string printable(std::string_view text);

/// The text with everything that isn't ASCII, and every control character, as "\xNN".
std::string hex_escaped(std::string_view text);

}  // namespace ba::cli
