// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/ledger_contract.hpp"

namespace ba {
namespace {

constexpr Milliseconds kLease{60000};

MessageMeta meta_for(const std::string& id) {
  MessageMeta meta;
  meta.message_id = MessageId(id);
  meta.conversation_id = ConversationId("conversation");
  meta.round_id = "job-1/0";
  meta.timestamp = WallTime(Microseconds(1772366400000000));
  return meta;
}

ToolCallId call_id(int step, int call) {
  return ToolCallId("call-" + std::to_string(step) + "-" + std::to_string(call));
}

}  // namespace

// ---- the calls ---------------------------------------------------------------------------------

IncarnationId LedgerContract::enter(const std::string& worker) {
  const auto entered = await<IncarnationId>([&](auto done) {
    membership().enter({worker, "host", 42, "1.0.0"}, kLease, done);
  });
  EXPECT_TRUE(entered) << entered.error().message;
  return latest_ = entered ? *entered : IncarnationId{};
}

Result<void> LedgerContract::renew(IncarnationId self) {
  return await<void>([&](auto done) { membership().renew(self, kLease, done); });
}

Result<int> LedgerContract::reap(IncarnationId self) {
  return await<int>([&](auto done) { membership().reap(self, done); });
}

Result<void> LedgerContract::leave(IncarnationId self) {
  return await<void>([&](auto done) { membership().leave(self, done); });
}

Result<ClaimAnswer> LedgerContract::intake(IncarnationId self, IntakeBatch batch, int claim_max) {
  ClaimRequest request;
  request.jobs_max = claim_max;
  return await<ClaimAnswer>([&](auto done) { ledger().intake(self, batch, request, done); });
}

Result<ClaimAnswer> LedgerContract::claim(IncarnationId self, ClaimRequest request) {
  return await<ClaimAnswer>([&](auto done) { ledger().claim(self, request, done); });
}

Result<ClaimAnswer> LedgerContract::claim(IncarnationId self, int jobs_max) {
  ClaimRequest request;
  request.jobs_max = jobs_max;
  return claim(self, request);
}

Result<void> LedgerContract::append(IncarnationId self, Delta delta) {
  return await<void>([&](auto done) { ledger().append(self, share(delta), done); });
}

Result<StoredJob> LedgerContract::load(const ClaimedJob& job) {
  return await<StoredJob>(
      [&](auto done) { ledger().load(latest_, job.id, job.conversation, done); });
}

Result<PartitionOffset> LedgerContract::reset_intake(IncarnationId self,
                                                     PartitionOffset partition) {
  return await<PartitionOffset>([&](auto done) { ledger().reset_intake(self, partition, done); });
}

Result<void> LedgerContract::replace_record(IncarnationId self, int shard,
                                            RecordReplacement replacement) {
  return await<void>([&](auto done) { outbox().replace_record(self, shard, replacement, done); });
}

Result<JobRemains> LedgerContract::load_remains(const ClaimedJob& job,
                                                std::int64_t excerpt_bytes_max) {
  return await<JobRemains>([&](auto done) {
    ledger().load_remains(latest_, job.id, job.conversation, excerpt_bytes_max, done);
  });
}

Result<void> LedgerContract::hand_back(IncarnationId self, std::vector<LedgerJobId> jobs) {
  std::vector<ReturnedJob> returned;
  for (const LedgerJobId id : jobs) returned.push_back({id});
  return await<void>([&](auto done) { ledger().hand_back(self, returned, done); });
}

Result<void> LedgerContract::leave_waiting(IncarnationId self, LedgerJobId job) {
  return await<void>([&](auto done) { ledger().hand_back(self, {{job, true}}, done); });
}

Result<std::vector<PartitionOffset>> LedgerContract::offsets(
    std::vector<PartitionOffset> partitions) {
  return await<std::vector<PartitionOffset>>(
      [&](auto done) { ledger().intake_offsets(latest_, partitions, done); });
}

Result<std::vector<ShardState>> LedgerContract::own_shards(IncarnationId self) {
  return await<std::vector<ShardState>>([&](auto done) { outbox().own_shards(self, done); });
}

Result<std::vector<int>> LedgerContract::pending_shards(IncarnationId self) {
  return await<std::vector<int>>([&](auto done) { outbox().pending_shards(self, done); });
}

Result<OutboxBatch> LedgerContract::next_batch(IncarnationId self, int shard,
                                               std::int64_t published, int records_max,
                                               std::set<std::string> without) {
  return await<OutboxBatch>([&](auto done) {
    outbox().next_batch(self, {shard, published, records_max, without}, done);
  });
}

Result<void> LedgerContract::withdraw(IncarnationId self, const OutboxBatch& batch) {
  return await<void>(
      [&](auto done) { outbox().withdraw_batch(self, batch.shard, batch.version, done); });
}

Result<void> LedgerContract::stop_shard(IncarnationId self, int shard, const std::string& reason,
                                        std::optional<std::int64_t> assigned) {
  ShardState known{shard, assigned.value_or(0), 0};
  if (const auto owned = own_shards(self); owned && !assigned)
    for (const ShardState& state : *owned)
      if (state.shard == shard) known = state;
  return await<void>([&](auto done) { outbox().stop_shard(self, known, reason, done); });
}

Result<RemovedRows> LedgerContract::remove_batch(IncarnationId self, const RetentionRules& rules) {
  return await<RemovedRows>([&](auto done) { rig_->retention().remove_batch(self, rules, done); });
}

ClaimedJob LedgerContract::running_job(IncarnationId self, const std::string& job_id) {
  const auto answer = intake(self, batch_of({{.job_id = job_id}}), 1);
  EXPECT_TRUE(answer) << answer.error().message;
  for (const ClaimedJob& job : answer->jobs)
    if (job.payload == "acme/" + job_id) return job;
  ADD_FAILURE() << job_id << " was not claimed";
  return {};
}

ClaimedJob LedgerContract::job_in_step_two(IncarnationId self, const JobSpec& spec) {
  const auto answer = intake(self, batch_of({spec}), 1);
  EXPECT_TRUE(answer && !answer->jobs.empty());
  const ClaimedJob job = answer->jobs.back();
  EXPECT_TRUE(append(self, round_opened(job)));
  EXPECT_TRUE(append(self, step_replied(job)));
  EXPECT_TRUE(append(self, call_finished(job)));
  return job;
}

std::vector<std::string> LedgerContract::names(const Result<ClaimAnswer>& answer) {
  std::vector<std::string> names;
  EXPECT_TRUE(answer) << answer.error().message;
  if (answer)
    for (const ClaimedJob& job : answer->jobs) names.push_back(job.payload);
  return names;
}

// ---- values ------------------------------------------------------------------------------------

IntakeJob intake_job(const JobSpec& spec) {
  IntakeJob intake;
  intake.job.tenant = TenantId(spec.tenant);
  intake.job.job_id = JobId(spec.job_id);
  intake.job.conversation_id =
      ConversationId(spec.conversation.empty() ? "job:" + spec.job_id : spec.conversation);
  intake.job.messages = {"how many?"};
  intake.job.lane = spec.lane;
  intake.job.created_at = WallTime(Microseconds(1772366400000001));
  intake.payload = spec.tenant + "/" + spec.job_id;
  intake.source = {"ba.jobs", "topic-id", 0, 7, 1772366400000};
  return intake;
}

IntakeBatch batch_of(const std::vector<JobSpec>& specs) {
  IntakeBatch batch;
  for (const JobSpec& spec : specs) batch.jobs.push_back(intake_job(spec));
  return batch;
}

DeadLetter dead_letter(std::int64_t offset, int shard) {
  DeadLetter letter;
  letter.source = {"ba.jobs", "topic-id", 3, offset, 1772366400000};
  letter.reason = "BAD_JSON";
  letter.field = "messages[0]";
  letter.message = "not JSON";
  letter.value = std::string("\x00\xff{", 3);
  letter.headers = {{"content-type", "application/json"}, {"raw", "\xfe\x01"}};
  letter.record = outbox_record("dead-" + std::to_string(offset), shard);
  return letter;
}

OutboxRecord outbox_record(const std::string& result_id, int shard) {
  OutboxRecord record;
  record.result_id = ResultId(result_id);
  record.shard = shard;
  record.topic = "ba.results";
  record.key = "acme/" + result_id;
  record.value = std::string("bytes\x00\xff of ", 11) + result_id;
  record.headers = {{"ce_id", result_id}, {"twice", "a"}, {"twice", "\xff"}};
  return record;
}

Delta delta_for(const ClaimedJob& job) {
  Delta delta;
  delta.job = job.id;
  delta.conversation = job.conversation;
  return delta;
}

Delta round_opened(const ClaimedJob& job, int round) {
  Delta delta = delta_for(job);
  HumanMessage message;
  message.meta = meta_for("job-1/" + std::to_string(round) + "/0");
  message.text = "how many \"flights\" in {2013}, \\ C:\\x, 'ok'?\n\tGrüße 🛫";
  delta.rounds_opened.push_back({round, "job-1/" + std::to_string(round), message});
  return delta;
}

Delta step_replied(const ClaimedJob& job, int step, int calls) {
  Delta delta = delta_for(job);
  StepReplied replied;
  replied.step = step;
  replied.message.meta = meta_for("job-1/0/" + std::to_string(step));
  replied.message.text = "let me see";
  replied.message.usage.input_tokens = 100;
  replied.message.usage.output_tokens = 10;
  replied.stop_reason = calls > 0 ? "tool_use" : "end_turn";
  replied.provider = "scripted";
  replied.model = "scripted-1";
  replied.provider_request_id = "req-" + std::to_string(step);
  replied.request_hash = "00ff";
  replied.cost_micro_usd = 250;
  replied.estimated_input_tokens = 115;
  replied.latency = Milliseconds(12);
  for (int call = 0; call < calls; ++call) {
    ToolCall asked;
    asked.id = call_id(step, call);
    asked.name = "query_database";
    asked.args_json = R"({"sql":"SELECT \"a\" FROM t"})";
    replied.message.tool_calls.push_back(asked);
    delta.calls_intended.push_back(
        {{0, step, call + 1}, asked.id, asked.name, "1.0.0", asked.args_json, EffectClass::Pure});
  }
  delta.steps.push_back(replied);
  return delta;
}

Delta call_started(const ClaimedJob& job, int step, int call) {
  Delta delta = delta_for(job);
  delta.calls_started.push_back({{0, step, call + 1}, {}});
  return delta;
}

Delta call_finished(const ClaimedJob& job, int step, int call) {
  Delta delta = delta_for(job);
  ToolCallFinished done;
  done.position = {0, step, call + 1};
  done.result.tool_call_id = call_id(step, call);
  done.result.state = ToolCallState::Succeeded;
  done.result.observation = "42";
  done.result.data_size_bytes = 2;
  done.result.retry_count = 1;
  done.result.duration = Milliseconds(5);
  done.message.meta = meta_for("job-1/0/" + std::to_string(step) + "." + std::to_string(call + 1));
  done.message.tool_call_id = call_id(step, call);
  done.message.tool_name = "query_database";
  done.message.content = "42";
  delta.calls_finished.push_back(done);
  return delta;
}

Delta finished(const ClaimedJob& job, const std::string& job_id) {
  Delta delta = delta_for(job);
  RoundClosed closed;
  closed.final_answer = "42 flights";
  closed.usage.input_tokens = 100;
  closed.usage.output_tokens = 10;
  delta.rounds_closed.push_back(closed);
  JobFinished end;
  end.result.result_id = ResultId("result-" + job_id);
  end.result.tenant = TenantId("acme");
  end.result.job_id = JobId(job_id);
  end.result.outcome = Outcome::Completed;
  end.result.answers.push_back({0, "42 flights"});
  end.result.totals.rounds = 1;
  end.result.totals.steps = 1;
  end.result.totals.usage = closed.usage;
  end.result.totals.cost_micro_usd = 250;
  end.result_bytes = std::string("\x08\x00\xff", 3);
  end.metrics_json = R"({"rounds":1})";
  end.outbox = {outbox_record("result-" + job_id, 1), outbox_record("metrics-" + job_id, 1)};
  delta.finished = end;
  return delta;
}

Delta in_round(int round, Delta delta) {
  for (StepReplied& step : delta.steps) step.round = round;
  for (ToolCallIntended& call : delta.calls_intended) call.position.round = round;
  for (ToolCallFinished& call : delta.calls_finished) call.position.round = round;
  for (RoundClosed& closed : delta.rounds_closed) closed.round = round;
  return delta;
}

}  // namespace ba
