#pragma once
// SPDX-License-Identifier: Apache-2.0
// Keeps secrets out of the log: known secret texts, passwords inside URLs, bearer tokens and keys
// of well-known shape, and whole fields whose name says what they hold. Immutable; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace ba {

class Redaction {
 public:
  /// Texts shorter than 6 characters are left out: they would mask half of every line.
  explicit Redaction(std::vector<std::string> secrets);

  /// The text with "***" in place of what must not be seen.
  std::string clean(std::string text) const;

  /// Whether a field of this name holds a secret as a whole ("api_key", "db_password", …).
  static bool secret_name(std::string_view field);

 private:
  std::vector<std::string> secrets_;
};

}  // namespace ba
