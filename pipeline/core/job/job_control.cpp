// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/job/job_control.hpp"

#include "pipeline/base/enum_names.hpp"

namespace ba {
namespace {

constexpr EnumNames<JobState, 6> kStates{{{JobState::Ready, "ready"},
                                          {JobState::Running, "running"},
                                          {JobState::Paused, "paused"},
                                          {JobState::Waiting, "waiting"},
                                          {JobState::Held, "held"},
                                          {JobState::Finished, "finished"}}};

constexpr EnumNames<JobAction, 3> kActions{
    {{JobAction::Cancel, "cancel"}, {JobAction::Pause, "pause"}, {JobAction::Resume, "resume"}}};

constexpr EnumNames<JobRequest, 3> kRequests{
    {{JobRequest::None, ""}, {JobRequest::Cancel, "cancel"}, {JobRequest::Pause, "pause"}}};

Error conflict(JobAction action, const std::string& name, const std::string& why) {
  return make_error(ErrorCode::Conflict,
                    "can't " + std::string(to_string(action)) + " job " + name + ": " + why);
}

JobStanding paused(const JobStanding& standing) {
  if (standing.state == JobState::Running) return {JobState::Running, JobRequest::Pause};
  return {JobState::Paused, JobRequest::None};
}

JobStanding resumed(const JobStanding& standing) {
  if (standing.state == JobState::Running) return {JobState::Running, JobRequest::None};
  return {JobState::Ready, JobRequest::None};
}

}  // namespace

std::string_view to_string(JobState state) { return name_of(kStates, state); }
std::optional<JobState> parse_job_state(std::string_view text) { return value_of(kStates, text); }
std::string_view to_string(JobAction action) { return name_of(kActions, action); }
std::string_view to_string(JobRequest request) { return name_of(kRequests, request); }
std::optional<JobRequest> parse_job_request(std::string_view text) {
  return value_of(kRequests, text);
}

Result<JobStanding> apply_action(JobAction action, JobStanding standing, const std::string& name) {
  if (standing.state == JobState::Finished) return conflict(action, name, "it has ended");
  if (action == JobAction::Cancel) return JobStanding{standing.state, JobRequest::Cancel};
  if (standing.request == JobRequest::Cancel)
    return conflict(action, name, "it is being cancelled, which can't be taken back");
  if (standing.state == JobState::Waiting)
    return conflict(action, name,
                    "it waits for an answer about a tool call; give it with `ba-agent job resolve`,"
                    " or cancel the job");
  return action == JobAction::Pause ? paused(standing) : resumed(standing);
}

Result<void> may_resolve(JobStanding standing, const std::string& name) {
  Error error;
  error.code = ErrorCode::Conflict;
  error.message = "job " + name + " ";
  if (standing.request == JobRequest::Cancel)
    error.message += "is being cancelled: its calls are not resolved any more";
  else if (standing.state != JobState::Waiting)
    error.message += "doesn't wait for an answer about a tool call: it is " +
                     std::string(to_string(standing.state));
  else
    return {};
  return error;
}

}  // namespace ba
