#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a person may ask of a job that is on its way, and what comes of it: the one table of states
// and requests, for the ledger and its double. Values and a pure function; any thread.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

/// Where a job stands in the ledger.
enum class JobState {
  Ready,     ///< waits for a worker
  Running,   ///< a worker has it
  Paused,    ///< a person stopped it between two steps
  Waiting,   ///< waits for a person's answer about a call whose outcome is unknown
  Held,      ///< a sub-agent's: waits for the job that asked for it to run again
  Finished,  ///< has its terminal row
};

std::string_view to_string(JobState state);
std::optional<JobState> parse_job_state(std::string_view text);

enum class JobAction { Cancel, Pause, Resume };

std::string_view to_string(JobAction action);

/// What stands with a job until a worker has honoured it. A pause only with a running one.
enum class JobRequest { None, Cancel, Pause };

std::string_view to_string(JobRequest request);
std::optional<JobRequest> parse_job_request(std::string_view text);

struct JobStanding {
  JobState state = JobState::Ready;
  JobRequest request = JobRequest::None;

  friend bool operator==(const JobStanding&, const JobStanding&) = default;
};

/// Where the action leaves the job. Asking for what is so already changes nothing and is no error.
/// Conflict when it has ended, is being cancelled (which can't be taken back), or waits for an
/// answer; `name` is the job's, for the message.
Result<JobStanding> apply_action(JobAction action, JobStanding standing, const std::string& name);

/// Whether a person may answer about a call of the job: Conflict unless it waits for that and
/// isn't being cancelled.
Result<void> may_resolve(JobStanding standing, const std::string& name);

}  // namespace ba
