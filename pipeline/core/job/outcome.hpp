#pragma once
// SPDX-License-Identifier: Apache-2.0
// The closed set of ways a job ends, and what its result carries. Exactly one place turns these
// into database change and messages (conversation/finish). Values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/time.hpp"
#include "pipeline/core/job/job.hpp"
#include "pipeline/core/job/savings.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

enum class Outcome {
  Completed,         ///< every message has its answer
  StepLimit,         ///< a round reached its steps
  TokenLimit,        ///< the job reached its tokens
  CostLimit,         ///< the job reached its cost
  DeadlineExceeded,  ///< the job's deadline passed, or its wait for its conversation took too long
  Refused,           ///< the model refused
  Truncated,         ///< the model's answer was cut by its output limit
  ModelError,        ///< the model could not be reached or answered nonsense, after all retries
  InvalidJob,        ///< the job names something that isn't configured (agent, model, tool, skill)
  Cancelled,
  Poisoned,  ///< the attempts are used up (each ended in a crash)
  Failed,    ///< an internal failure
};

std::string_view to_string(Outcome outcome);  ///< snake_case
std::optional<Outcome> parse_outcome(std::string_view text);

/// What went wrong, for a result that isn't Completed.
struct JobError {
  std::string type;     ///< class: "limit", "model", "job", "internal"
  std::string code;     ///< UPPER_SNAKE, stable
  std::string message;  ///< for a person

  friend bool operator==(const JobError&, const JobError&) = default;
};

struct Answer {
  int round = 0;
  std::string text;

  friend bool operator==(const Answer&, const Answer&) = default;
};

/// What a job used, summed over its attempts as persisted.
struct JobTotals {
  Usage usage;
  std::int64_t cost_micro_usd = 0;
  bool cost_known = true;  ///< false as soon as one call had no price
  int rounds = 0;
  int steps = 0;
  int tool_calls = 0;
  int tool_calls_failed = 0;
  int wasted_model_calls = 0;  ///< possibly paid calls whose reply was lost (crash, time-out)
  Savings savings{};           ///< money: of calls that had a price

  friend bool operator==(const JobTotals&, const JobTotals&) = default;
};

/// The part of the totals that is paid for, and what was not.
struct Spending {
  Usage usage;
  std::int64_t cost_micro_usd = 0;
  bool cost_known = true;
  int wasted_model_calls = 0;
  Savings savings{};

  friend bool operator==(const Spending&, const Spending&) = default;
};

Spending spending_of(const JobTotals& totals);
/// What came since `before`.
Spending operator-(const Spending& now, const Spending& before);
void add(JobTotals& totals, const Spending& spending);

struct JobResult {
  ResultId result_id;
  TenantId tenant;
  JobId job_id;
  ConversationId conversation_id;
  Outcome outcome = Outcome::Completed;
  std::vector<Answer> answers;
  std::optional<JobError> error;
  JobTotals totals;
  int attempts = 1;
  WallTime created_at{};
  WallTime started_at{};
  WallTime finished_at{};
  std::map<std::string, std::string> metadata;
  std::string model;  ///< "provider/model" that gave the last answer
  std::string worker_version;
  int schema_version = 1;

  friend bool operator==(const JobResult&, const JobResult&) = default;
};

}  // namespace ba
