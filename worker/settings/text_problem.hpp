#pragma once
// SPDX-License-Identifier: Apache-2.0
// Refuses settings that aren't text, before anything is made of them: they go into requests, logs
// and tables. One thread.

#include <string>

#include "worker/settings/findings.hpp"
#include "worker/settings/node.hpp"

namespace ba::settings {

/// What is wrong with a value: not UTF-8, or a NUL in it; empty: nothing.
std::string text_problem(const std::string& text);

/// An error for each such key or value, which is taken out of the tree. `path`: where the tree
/// stands.
void refuse_what_is_no_text(Node& tree, const std::string& path, Findings& findings);

}  // namespace ba::settings
