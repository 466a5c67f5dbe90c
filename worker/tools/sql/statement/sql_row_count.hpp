#pragma once
// SPDX-License-Identifier: Apache-2.0
// Asks how many rows a statement would change before it changes any. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>

namespace ba {

/// A SELECT that counts the rows which an INSERT, UPDATE or DELETE would write, up to `most`; also
/// those that an ON CONFLICT would leave out. It is made of the statement's own words, and parsed
/// to prove that it asks of the same rows; none where that can't be done.
std::optional<std::string> row_count_question(std::string_view sql, int most);

}  // namespace ba
