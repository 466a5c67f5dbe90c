// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/reminder.hpp"

#include "pipeline/core/context/round_summary.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {
namespace {

constexpr std::size_t kTaskMax = 2000;  // code points
constexpr std::size_t kConstraintsMax = 10;

}  // namespace

std::string reminder_text(const ReminderFacts& facts, const RefocusRules& rules) {
  const std::string task = cut_code_points(facts.task, kTaskMax);
  std::string text = "<system-reminder>\n# Context Reminder (Round " + std::to_string(facts.round) +
                     ")\n\nTask: " + task;
  text += "\n\nConstraints:";
  if (task.size() < facts.task.size())
    for (const std::string& sentence :
         decisions_in(facts.task, rules.constraint_words, kConstraintsMax))
      text += "\n- " + sentence;
  text += "\n- At most " + std::to_string(facts.steps_left) +
          " more replies in this round; then give the final answer.";
  return text + "\n</system-reminder>";
}

}  // namespace ba
