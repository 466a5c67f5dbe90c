#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether a `--set` puts a secret on a command line, which everyone on the machine can read. Pure.

#include <optional>
#include <string>

namespace ba {

/// The key of the first secret, by its name: the path itself, or one inside a list or map that is
/// the value.
std::optional<std::string> secret_set_by(const std::string& path, const std::string& value);

}  // namespace ba
