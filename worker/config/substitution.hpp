#pragma once
// SPDX-License-Identifier: Apache-2.0
// ${VAR}, ${env:VAR}, ${VAR:-default} and $$ in scalars. It runs on the parsed tree, so a value
// can't add structure, and a substituted text is not substituted again. Any thread.

#include "pipeline/base/error.hpp"
#include "worker/config/environment.hpp"
#include "worker/settings/node.hpp"

namespace ba::config {

/// The text with its variables filled in. A variable that isn't set and has no default is an error.
Result<std::string> substitute(const std::string& text, const Environment& environment);

/// Every scalar of the tree, keys excepted. Of one that can't be filled in, where and why.
std::optional<settings::Refusal> substitute_all(settings::Node& root,
                                                const Environment& environment);

}  // namespace ba::config
