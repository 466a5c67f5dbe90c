// SPDX-License-Identifier: Apache-2.0
#include "pipeline/message/position.hpp"

namespace ba {

std::string round_id(const JobId& job, int round) {
  return job.value + "/" + std::to_string(round);
}

MessageId message_id(const JobId& job, const Position& position) {
  std::string text = round_id(job, position.round) + "/" + std::to_string(position.step);
  if (position.index > 0) text += "." + std::to_string(position.index);
  return MessageId(std::move(text));
}

}  // namespace ba
