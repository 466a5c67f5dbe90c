// SPDX-License-Identifier: Apache-2.0
// What a model is sent of a conversation: all that is left of its earlier jobs, in their order, and
// nothing that retention has removed.
#include "tests/simulation/checker.hpp"

namespace ba::sim {

/// Also of a history that was made shorter: a summary names the round that it stands for.
void Checker::check_nothing_removed_seen(const FakeJob& job, const ModelRequest& request) {
  bool anew = false;
  for (const auto& [id, gone] : database_->rows().removed_jobs()) {
    if (gone.conversation != job.conversation) continue;
    anew = true;
    const std::string rounds = gone.intake.job.job_id.value + "/";
    for (const Message* message : request.messages)
      if (meta_of(*message).round_id.starts_with(rounds))
        fail(name_of(job) + " was sent something of " + name_of(gone) + ", which was removed");
  }
  if (anew) world_.mark(Mark::RequestAfterRemoval);
}

/// The job's own messages follow, from its first question on.
void Checker::check_what_is_left_seen(const FakeJob& job, const ModelRequest& request) {
  std::size_t at = 0;
  const auto comes_next = [&](const MessageId& id) {
    return at < request.messages.size() && meta_of(*request.messages[at++]).message_id == id;
  };
  for (const auto& [id, earlier] : database_->rows().jobs()) {
    if (earlier.conversation != job.conversation || !(id < job.id)) continue;
    for (const auto& [position, message] : earlier.messages)
      if (!comes_next(meta_of(message).message_id))
        return fail(name_of(job) + " was not sent all that is left of " + name_of(earlier));
  }
  if (!comes_next(message_id(job.intake.job.job_id, {0, 0, 0})))
    fail(name_of(job) + " was sent something else between what is left and its own question");
}

}  // namespace ba::sim
