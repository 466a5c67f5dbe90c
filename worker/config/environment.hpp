#pragma once
// SPDX-License-Identifier: Apache-2.0
// The process environment as a value, so that tests give their own. Any thread.

#include <map>
#include <optional>
#include <string>

namespace ba::config {

struct Environment {
  std::map<std::string, std::string> variables;

  /// Empty variables count as unset, as `VAR= command` is a usual way to unset one.
  std::optional<std::string> get(const std::string& name) const;
};

/// Reads the process's environment once. For main() only.
Environment process_environment();

}  // namespace ba::config
