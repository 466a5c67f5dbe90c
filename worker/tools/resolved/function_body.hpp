#pragma once
// SPDX-License-Identifier: Apache-2.0
// The body of a function of language sql, where it is stored as text, as a statement that a server
// can be asked to analyse: what names of arguments stand for becomes $1, $2, … Pure; any thread.

#include <optional>
#include <string>
#include <vector>

namespace ba {

/// `names`: of the arguments, in order; empty where one has none. None where the body is not one
/// SELECT, so that what it does can't be seen.
std::optional<std::string> body_as_statement(const std::string& body, const std::string& function,
                                             const std::vector<std::string>& names);

}  // namespace ba
