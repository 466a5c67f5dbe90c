// SPDX-License-Identifier: Apache-2.0
// What holds once the faults have stopped and everything had time to come to its end.
#include <algorithm>

#include "pipeline/core/sub_agent/task_tool.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/skills.hpp"

namespace ba::sim {

const FakeJob* Checker::row_of(int job) const {
  const Job& planned = plan_.jobs.at(static_cast<std::size_t>(job)).job;
  const FakeLedger& rows = database_->rows();
  const FakeJob* row = rows.find_job(planned.tenant, planned.job_id);
  if (!row) row = rows.find_removed(planned.tenant, planned.job_id);
  return row && row->intake.job.tenant == planned.tenant ? row : nullptr;
}

const FakeJob* Checker::row_of(const ModelQuestion& question) const {
  if (question.job < 0) return nullptr;
  const FakeJob* root = row_of(question.job);
  if (!root || !question.asked_by) return root;
  for (const FakeJob* job : family_of(*root))
    if (job->asked_by && job->asked_by->position == *question.asked_by) return job;
  return nullptr;
}

const FakeJob& Checker::root_of(const FakeJob& job) const {
  if (!job.asked_by) return job;
  const auto& jobs = database_->rows().jobs();
  const auto found = jobs.find(job.asked_by->job);
  if (found != jobs.end()) return found->second;
  const auto& removed = database_->rows().removed_jobs();
  const auto gone = removed.find(job.asked_by->job);
  return gone == removed.end() ? job : gone->second;
}

std::vector<const FakeJob*> Checker::family_of(const FakeJob& root) const {
  std::vector<const FakeJob*> family{&root};
  for (const auto* jobs : {&database_->rows().jobs(), &database_->rows().removed_jobs()})
    for (const auto& [id, job] : *jobs)
      if (job.asked_by && job.asked_by->job == root.id) family.push_back(&job);
  return family;
}

/// A shard that stopped for a reason that there was.
bool Checker::excused(int shard) const {
  const auto& row = database_->rows().shards().at(static_cast<std::size_t>(shard));
  return !row.stopped_reason.empty() && (set_back_ || receipts_deleted_);
}

bool Checker::settled() const {
  const FakeLedger& rows = database_->rows();
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const FakeJob* job = row_of(static_cast<int>(i));
    if (!job || job->state != FakeJobState::Finished) return false;
  }
  for (const auto& [key, log] : group_->logs()) {
    const std::int64_t taken = rows.intake_offset(key.first, key.second).value_or(0);
    if (taken < static_cast<std::int64_t>(log.records.size())) return false;
  }
  return std::all_of(rows.outbox().begin(), rows.outbox().end(), [&](const FakeOutboxRow& row) {
    return row.batch != 0 || excused(row.record.shard);
  });
}

void Checker::check_end() {
  const FakeLedger& rows = database_->rows();
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const FakeJob* job = row_of(static_cast<int>(i));
    const Job& planned = plan_.jobs[i].job;
    const std::string name = planned.tenant.value + "/" + planned.job_id.value;
    if (!job) return fail("job " + name + " was lost");
    if (job->state != FakeJobState::Finished) return fail("job " + name + " came to no end");
    if (set_back_) continue;
    for (const FakeJob* each : family_of(*job)) check_effects(*each);
    if (scenario_.asks_person) check_person_was_asked(*job);
  }
  for (std::size_t shard = 0; shard < rows.shards().size(); ++shard) {
    const std::string& reason = rows.shards()[shard].stopped_reason;
    if (!reason.empty() && !excused(static_cast<int>(shard)))
      fail("a shard was stopped for nothing: " + reason);
  }
  check_published();
  if (!set_back_) check_paid();
}

void Checker::check_published() {
  std::vector<FakeOutboxRow> all = database_->rows().outbox();
  const auto& removed = database_->rows().removed_outbox();
  all.insert(all.end(), removed.begin(), removed.end());
  for (const FakeOutboxRow& row : all) {
    if (excused(row.record.shard)) continue;
    const auto found = published_.find(row.record.result_id);
    if (found == published_.end())
      fail("a record of " + row.record.topic + " was never published: " + row.record.key);
  }
  for (const auto& [key, log] : group_->logs())
    check_taken_in(key, static_cast<std::int64_t>(log.records.size()), "the end's");
}

/// How often it had its effect; that of `task` is a sub-agent.
int Checker::times(const FakeJob& job, const Position& call, const std::string& tool) const {
  const auto found = effects_.find({job.id, call});
  if (tool != kTaskTool) return found == effects_.end() ? 0 : found->second.times;
  int agents = 0;
  for (const FakeJob* each : family_of(job))
    agents += each->asked_by && each->asked_by->position == call;
  return agents;
}

void Checker::check_effects(const FakeJob& job) {
  for (const auto& [position, call] : job.calls) {
    const int times = this->times(job, position, call.tool_name);
    const std::string name = "a call of " + call.tool_name + " in " + job.intake.job.job_id.value;
    if (call.state == ToolCallState::Intended || call.state == ToolCallState::Running)
      fail(name + " was left open");
    if (call.effect == EffectClass::Pure || is_skill_tool(call.tool_name)) continue;
    if (call.state == ToolCallState::Succeeded && times != 1)
      fail(name + " succeeded with " + std::to_string(times) + " effects");
    if (call.state == ToolCallState::Failed && times != 0 && call.tool_name != kTaskTool)
      fail(name + " is recorded as failed and had its effect");
  }
}

/// A job that went its way to the end told the model of no unknown outcome by itself.
void Checker::check_person_was_asked(const FakeJob& job) {
  if (job.finished->result.outcome != Outcome::Completed) return;
  for (const auto& [position, call] : job.calls)
    if (call.state == ToolCallState::Unknown && !given_up_.contains({job.id, position}))
      fail("nobody was asked about a call of " + call.tool_name + " in " +
           job.intake.job.job_id.value);
}

}  // namespace ba::sim
