#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a worker would say of the configured skills at its start. Reads their directories and asks
// no server. One thread.

#include "worker/tools/configured_skills.hpp"

namespace ba::cli {

/// As the worker has it, each word that names a key with the place where that was set.
skills::SkillReview skills_of(const config::LoadedConfig& loaded);

}  // namespace ba::cli
