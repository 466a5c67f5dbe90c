#pragma once
// SPDX-License-Identifier: Apache-2.0
// What reminds a model of its task in a long round: the request, and what of it limits how it may
// be done. Pure; any thread.

#include <string>
#include <string_view>

#include "pipeline/core/context/compression_rules.hpp"

namespace ba {

struct ReminderFacts {
  int round = 1;          ///< the first is 1
  std::string_view task;  ///< what the user asked
  int steps_left = 0;     ///< of the round
};

/// The text of the hidden message; a long task is cut, its constraints aren't.
std::string reminder_text(const ReminderFacts& facts, const RefocusRules& rules);

}  // namespace ba
