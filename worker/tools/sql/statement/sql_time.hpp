#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether a statement's result may change while its data stay the same, as far as its text shows
// it: functions of the time and volatile ones, 'now' and its like, and texts put together that
// become such a word when they are cast. Pure; any thread.

#include <optional>
#include <string>

#include "worker/tools/sql/statement/sql_tree.hpp"

namespace ba {

/// "it asks for the time: now()"; none: nothing of the kind is in it.
std::optional<std::string> why_not_cacheable(const SqlStatement& statement);

/// Whether a text in it has a word as 'now': where it becomes a date, that is done when the
/// statement is prepared.
bool spells_the_present(const SqlStatement& statement);

}  // namespace ba
