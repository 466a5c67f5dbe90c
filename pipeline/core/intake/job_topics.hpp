#pragma once
// SPDX-License-Identifier: Apache-2.0
// The names of the topics that jobs come by: one for each lane. A value.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/core/job/job.hpp"

namespace ba {

using JobTopics = std::array<std::string, 3>;  ///< by lane

/// The lane that a job topic stands for; none for another topic.
std::optional<Lane> lane_of_topic(const JobTopics& topics, std::string_view topic);

}  // namespace ba
