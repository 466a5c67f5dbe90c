#pragma once
// SPDX-License-Identifier: Apache-2.0
// The version of a tool that is set up: what was kept of it isn't given when it asks somebody else.
// Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace ba {

/// "VERSION+DIGEST", as https://semver.org has build metadata: eight hexadecimal digits of the
/// SHA-256 of what its results depend on beside a call's parameters. No passwords, please: weak
/// ones could be found by trying.
std::string configured_version(std::string_view version,
                               const std::vector<std::string>& depends_on);

}  // namespace ba
