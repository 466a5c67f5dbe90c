#pragma once
// SPDX-License-Identifier: Apache-2.0
// One analysis job as the core sees it: decoded, validated, with defaults filled in. The wire
// forms are in schemas/ and contract/. Values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"

namespace ba {

/// Priority lanes; a lower number is served first, each with a guaranteed share.
enum class Lane { High = 0, Normal = 1, Batch = 2 };

std::string_view to_string(Lane lane);  ///< "high", "normal", "batch"
std::optional<Lane> parse_lane(std::string_view text);

/// Limits of one job; reaching one is an outcome. 0 means "the configuration's default"; a job can
/// only lower what the configuration allows.
struct JobLimits {
  int steps_per_round_max = 0;
  std::int64_t tokens_max = 0;          ///< all rounds, input and output
  std::int64_t cost_micro_usd_max = 0;  ///< all rounds
  Milliseconds deadline{0};             ///< from the first claim of the job

  friend bool operator==(const JobLimits&, const JobLimits&) = default;
};

struct Job {
  TenantId tenant;
  JobId job_id;
  ConversationId conversation_id;  ///< default: "job:" + job_id
  std::string user_id;
  std::vector<std::string> messages;  ///< each makes a round; at least one
  std::vector<std::string> skills;
  std::string agent;  ///< agent profile; empty: "default"
  std::string model;  ///< restricts to this configured model; empty: the profile's
  std::vector<std::string> allowed_tools;  ///< empty: the profile's
  JobLimits limits;
  std::string
      answer_schema;  ///< compact JSON Schema that each round's answer must fit; empty: none
  Lane lane = Lane::Normal;
  std::map<std::string, std::string> metadata;  ///< echoed in the result
  WallTime created_at{};
  int schema_version = 1;
  std::string traceparent;  ///< W3C trace context of the record, carried to the result
  std::string tracestate;
  std::string source_event_id;  ///< ce_id of the record, for causationid of the result
  std::string correlation_id;   ///< correlationid of the record

  friend bool operator==(const Job&, const Job&) = default;
};

}  // namespace ba
