#pragma once
// SPDX-License-Identifier: Apache-2.0
// The name under which a model knows a server's tool. Pure; any thread.

#include <string>
#include <string_view>

namespace ba::mcp {

/// "<server>_<tool>" where that is 1 to 64 letters, digits, underscores and hyphens; else what can
/// be kept of it and eight digits of a hash of both names, so that it is the same at every start.
std::string exposed_name(std::string_view server, std::string_view tool);

/// The form with the hash: for a name that is taken by another tool.
std::string hashed_name(std::string_view server, std::string_view tool);

}  // namespace ba::mcp
