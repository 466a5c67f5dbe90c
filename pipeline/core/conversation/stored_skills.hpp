#pragma once
// SPDX-License-Identifier: Apache-2.0
// Skills of a job by its rows: what earlier runs have used, and what is active again. Used by
// resume() and the driver.

#include "pipeline/core/conversation/event.hpp"

namespace ba {

/// The model that a stored reply of the job was asked of, by its skills, which restore_skills() has
/// restored.
std::string model_asked_for(const ConversationState& state, const std::vector<StoredSkillUse>& uses,
                            const Position& reply);

/// The skills of earlier runs of the job, with their contents as they were used: what is active
/// again, and what holds in the step that is open. Corrupt when a content can't be read.
Result<void> restore_skills(ConversationState& state, const std::vector<StoredSkillUse>& uses,
                            const StoredTally& tally);

/// Only that they were used: for a job that ends.
void count_skills(ConversationState& state, const std::vector<StoredSkillUse>& uses,
                  const StoredTally& tally);

/// The contents among the uses, by name; of several of a name the newest. Corrupt as above.
Result<SkillSet> pinned_skills(const std::vector<StoredSkillUse>& uses);

}  // namespace ba
