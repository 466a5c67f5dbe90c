#pragma once
// SPDX-License-Identifier: Apache-2.0
// The body of a function of language sql, where it is stored as text, as a statement that a server
// can be asked to analyse: what names of arguments stand for becomes $1, $2, … Pure; any thread.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

/// `names`: of the arguments, in order; empty where one has none. None where the body is not one
/// SELECT, so that what it does can't be seen. `replaced`: gets the names that are no longer there,
/// of arguments, and the function's where it stood before one.
std::optional<std::string> body_as_statement(const std::string& body, const std::string& function,
                                             const std::vector<std::string>& names,
                                             std::set<std::string>* replaced = nullptr);

/// Whether one of these names may be a column or an alias in a body that the server has analysed as
/// `tree`: that is what it means then, rather than an argument.
bool may_mean_columns(const std::set<std::string>& names, std::string_view tree);

}  // namespace ba
