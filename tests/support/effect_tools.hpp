#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tools whose effects can be counted, one of each effect class: effect_pure, effect_keyed,
// effect_reconcilable and effect_once; and effect_deadly, which ends the process. An effect is a
// line of a journal, written at once and before the tool answers, so that nothing that happens to a
// worker, Kafka or PostgreSQL can undo it. For crash tests only.

#include <functional>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/tool/registry.hpp"

namespace ba {

/// Each run waits 2 ms, appends {"class", "job", "round", "step", "idx", "key"} to the journal,
/// calls `happened`, and answers 10 ms later. The reconcilable one adds "questions" and its status
/// function appends {"class": "question", "key"} (effect_journal.hpp).
Result<void> add_effect_tools(ToolRegistry& registry, Executor& executor,
                              const std::string& journal, std::function<void()> happened);

}  // namespace ba
