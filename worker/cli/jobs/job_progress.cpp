// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/job_progress.hpp"

#include <algorithm>

#include "worker/cli/program/wording.hpp"

namespace ba {
namespace {

/// What is going on now: the tool that runs, or the model that is asked.
std::string activity(const JobTimeline& timeline) {
  for (auto call = timeline.tool_calls.rbegin(); call != timeline.tool_calls.rend(); ++call)
    if (call->state == "running" || call->state == "intended") return call->tool_name;
  return "asking the model";
}

/// A round gets its row with its first reply: until then, the one before it is the last that is
/// there.
std::size_t current_round(const JobTimeline& timeline, std::size_t messages) {
  const auto closed =
      std::count_if(timeline.rounds.begin(), timeline.rounds.end(),
                    [](const RoundView& round) { return round.closed_at.has_value(); });
  return std::min(static_cast<std::size_t>(closed) + 1, std::max<std::size_t>(messages, 1));
}

}  // namespace

std::string progress_text(const JobTimeline& timeline, std::size_t messages) {
  const JobSummary& job = timeline.job;
  std::string out = job.job_id.value;
  if (job.state == "ready") return out + " · waiting for a worker";
  if (job.state == "finished") return out + " · finished";
  if (job.state == "paused") return out + " · paused";
  if (!job.waits_for.empty())
    return out + " · waiting for `ba-agent job resolve` of " + job.waits_for;
  if (job.attempt > 1) out += " · attempt " + std::to_string(job.attempt);
  const std::size_t nth = current_round(timeline, messages);
  out += " · round " + std::to_string(nth - 1);  // as `show` and `job fork` count: from 0
  if (messages > 1) out += " (" + std::to_string(nth) + " of " + std::to_string(messages) + ")";
  if (job.steps > 0) out += " · " + counted(job.steps, "step");
  out += " · " + activity(timeline);
  if (job.usage.total() > 0) out += " · " + thousands(job.usage.total()) + " tokens";
  return out;
}

std::string queued_text(const std::string& job_id) { return job_id + " · on the jobs topic"; }

}  // namespace ba
