// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/intake/job_topics.hpp"

namespace ba {

std::optional<Lane> lane_of_topic(const JobTopics& topics, std::string_view topic) {
  for (const Lane lane : {Lane::High, Lane::Normal, Lane::Batch})
    if (topics.at(static_cast<std::size_t>(lane)) == topic) return lane;
  return std::nullopt;
}

}  // namespace ba
