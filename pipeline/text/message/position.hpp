#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where a message or tool call stands in a job. Positions order a job's messages and give them
// their deterministic ids. Values.

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/ids.hpp"

namespace ba {

/// The human message of a round is step 0, index 0. Step s (from 1) has its AIMessage at index 0
/// and the ToolMessage of its n-th call (from 0) at index n + 1.
struct Position {
  int round = 0;  ///< from 0, within the job
  int step = 0;
  int index = 0;

  friend auto operator<=>(const Position&, const Position&) = default;
};

/// "<job_id>/<round>".
std::string round_id(const JobId& job, int round);

/// "<job_id>/<round>/<step>" for index 0, "<job_id>/<round>/<step>.<index>" after that.
MessageId message_id(const JobId& job, const Position& position);

/// The way back: what an id made by message_id() says, of whichever job; `round_id` is its
/// message's. None of an id that wasn't.
std::optional<Position> position_in(const MessageId& id, std::string_view round_id);

}  // namespace ba
