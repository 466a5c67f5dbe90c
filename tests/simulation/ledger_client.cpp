// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/ledger_client.hpp"

#include <algorithm>
#include <utility>

#include "tests/simulation/checker.hpp"

namespace ba::sim {
namespace {

void mark_lost(World& world, LedgerCall call, Fate fate) {
  if (fate == Fate::Late) world.mark(Mark::LateCommitApplied);
  if (fate != Fate::AnswerLost) return;
  world.mark(Mark::CommitAnswerLost);
  if (call == LedgerCall::Claim) world.mark(Mark::ClaimAnswerLost);
  if (call == LedgerCall::Intake) world.mark(Mark::IntakeAnswerLost);
}

constexpr int kSessions = 4;

/// What the adapter does before anybody is told.
template <typename T>
void heard(World& world, const Database::Kind& kind, const Result<T>& answer) {
  const FakeSession& session = *kind.session;
  if constexpr (std::is_same_v<T, IncarnationId>)
    if (answer) session.history->entered(*answer);
  if (answer && session.raised > 0)
    session.history->acknowledged(kind.self, session.slot, session.raised);
  if (!answer && answer.error().message.find("went back in time") != std::string::npos)
    world.mark(Mark::IncarnationVoid);
}

bool unstorable(const Delta& delta) {
  return std::any_of(delta.steps.begin(), delta.steps.end(), [](const StepReplied& step) {
    return step.message.text.find(kUnstorable) != std::string::npos;
  });
}

/// Jobs are kept for longer than the topics keep records, or `config check` complains: no record of
/// a removed one comes again. Here ages are so short that one may still be on its way.
IntakeBatch without_removed(IntakeBatch batch, const FakeLedger& rows) {
  std::erase_if(batch.jobs, [&](const IntakeJob& intake) {
    return rows.find_removed(intake.job.tenant, intake.job.job_id) != nullptr;
  });
  const auto& gone = rows.removed_letters();
  std::erase_if(batch.dead_letters, [&](const DeadLetter& letter) {
    return std::any_of(gone.begin(), gone.end(), [&](const DeadLetter& each) {
      return same_record(each.source, letter.source);
    });
  });
  return batch;
}

}  // namespace

/// A claim's answer says what people ask of the worker's jobs.
Completion<ClaimAnswer> LedgerClient::telling(IncarnationId self, Completion<ClaimAnswer> done) {
  return [&checker = database_.checker(), &process = process_, self,
          done = std::move(done)](Result<ClaimAnswer> answer) {
    if (answer) checker.claim_heard(self, *answer, !process.draining);
    done(std::move(answer));
  };
}

/// Some sessions, as they come; one has one transaction at a time.
std::shared_ptr<FakeSession> LedgerClient::session_for(const Database::Kind& kind) {
  int slot = ++calls_ % kSessions;
  while (!busy_slots_->insert(slot).second) slot += kSessions;
  const auto release = [busy = busy_slots_, slot](FakeSession* session) {
    busy->erase(slot);
    delete session;
  };
  std::shared_ptr<FakeSession> session(new FakeSession, release);
  session->history = history_;
  session->slot = slot;
  session->expected = history_->expected(kind.self);
  return session;
}

template <typename T>
void LedgerClient::call(Database::Kind kind, Database::Work<T> work, Completion<T> done) {
  if (!process_.acts(to_string(kind.call))) return;
  kind.session = session_for(kind);
  const auto at_server = [&database = database_, kind, age = database_.age(),
                          work = std::move(work)](Reply<Result<T>> reply) {
    if (age == database.age()) database.run(kind, work, std::move(reply));
  };
  const auto answered = [&world = world_, kind,
                         done = std::move(done)](std::optional<Result<T>> answer) {
    if (answer) {
      heard(world, kind, *answer);
      return done(std::move(*answer));
    }
    done(ledger_error(ErrorCode::Timeout, "PostgreSQL did not answer in time", true));
  };
  mark_lost(world_, kind.call, send<Result<T>>(world_, process_, link_, at_server, answered));
}

void LedgerClient::enter(Identity identity, Milliseconds lease, Completion<IncarnationId> done) {
  call<IncarnationId>(
      {LedgerCall::Enter, {}, false},
      [identity = std::move(identity), lease](FakeLedger& rows, Completion<IncarnationId> answer) {
        rows.enter(identity, lease, std::move(answer));
      },
      [&process = process_, done = std::move(done)](Result<IncarnationId> answer) {
        if (answer) process.incarnation = *answer;
        done(std::move(answer));
      });
}

void LedgerClient::renew(IncarnationId incarnation, Milliseconds lease, Completion<void> done) {
  call<void>(
      {LedgerCall::Renew, incarnation, false},
      [=](FakeLedger& rows, Completion<void> answer) {
        rows.renew(incarnation, lease, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::reap(IncarnationId self, Completion<int> done) {
  call<int>(
      {LedgerCall::Reap, self, false},
      [self](FakeLedger& rows, Completion<int> answer) { rows.reap(self, answer); },
      [&world = world_, done = std::move(done)](Result<int> answer) {
        if (answer && *answer > 0) world.mark(Mark::ReaperReaped);
        if (!answer && answer.error().code == ErrorCode::Fenced) world.mark(Mark::ReaperWasDead);
        done(std::move(answer));
      });
}

void LedgerClient::leave(IncarnationId incarnation, Completion<void> done) {
  call<void>(
      {LedgerCall::Leave, incarnation, false},
      [incarnation](FakeLedger& rows, Completion<void> answer) {
        rows.leave(incarnation, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::intake(IncarnationId self, IntakeBatch batch, ClaimRequest claim,
                          Completion<ClaimAnswer> done) {
  if (mutant_ == Mutant::DeadLettersDropped) batch.dead_letters.clear();
  const bool brings = !batch.jobs.empty() || !batch.dead_letters.empty();
  if (mutant_ == Mutant::OffsetsBeforeJobs && brings && !batch.offsets.empty()) {
    IntakeBatch offsets;
    offsets.offsets = std::exchange(batch.offsets, {});
    return intake(self, std::move(offsets), claim,
                  [this, self, batch = std::move(batch), claim,
                   done = std::move(done)](const Result<ClaimAnswer>& first) {
                    if (!first) return done(first);
                    intake(self, batch, claim, done);
                  });
  }
  for (const IntakeJob& job : batch.jobs)
    if (database_.rows().find_job(job.job.tenant, job.job.job_id))
      world_.mark(Mark::RecordRepeated);
  call<ClaimAnswer>(
      {LedgerCall::Intake, self, true},
      [self, batch = std::move(batch), claim = std::move(claim)](FakeLedger& rows,
                                                                 Completion<ClaimAnswer> answer) {
        rows.intake(self, without_removed(batch, rows), claim, std::move(answer));
      },
      telling(self, std::move(done)));
}

void LedgerClient::claim(IncarnationId self, ClaimRequest claim, Completion<ClaimAnswer> done) {
  call<ClaimAnswer>(
      {LedgerCall::Claim, self, true},
      [self, claim = std::move(claim)](FakeLedger& rows, Completion<ClaimAnswer> answer) {
        rows.claim(self, claim, std::move(answer));
      },
      telling(self, std::move(done)));
}

void LedgerClient::intake_offsets(IncarnationId self, std::vector<PartitionOffset> partitions,
                                  Completion<std::vector<PartitionOffset>> done) {
  using Offsets = std::vector<PartitionOffset>;
  call<Offsets>(
      {LedgerCall::IntakeOffsets, self, true},
      [self, partitions = std::move(partitions)](FakeLedger& rows, Completion<Offsets> answer) {
        rows.intake_offsets(self, partitions, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::load(IncarnationId self, LedgerJobId job, LedgerConversationId conversation,
                        Completion<StoredJob> done) {
  call<StoredJob>(
      {LedgerCall::Load, self, false},
      [=](FakeLedger& rows, Completion<StoredJob> answer) {
        rows.load(self, job, conversation, std::move(answer));
      },
      [&world = world_, mutant = mutant_, done = std::move(done)](Result<StoredJob> answer) {
        if (!answer) return done(std::move(answer));
        for (StoredToolCall& call : answer->calls) {
          if (call.state != ToolCallState::Running) continue;
          world.mark(Mark::CallFoundRunning);
          if (mutant == Mutant::IntentNotRead) call.state = ToolCallState::Intended;
        }
        if (!answer->history.empty()) world.mark(Mark::ConversationContinued);
        done(std::move(answer));
      });
}

void LedgerClient::load_remains(IncarnationId self, LedgerJobId job,
                                LedgerConversationId conversation, std::int64_t excerpt_bytes_max,
                                Completion<JobRemains> done) {
  call<JobRemains>(
      {LedgerCall::LoadRemains, self, false},
      [=](FakeLedger& rows, Completion<JobRemains> answer) {
        rows.load_remains(self, job, conversation, excerpt_bytes_max, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::reset_intake(IncarnationId self, PartitionOffset partition,
                                Completion<PartitionOffset> done) {
  call<PartitionOffset>(
      {LedgerCall::ResetIntake, self, true},
      [self, partition = std::move(partition)](FakeLedger& rows,
                                               Completion<PartitionOffset> answer) {
        rows.reset_intake(self, partition, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::append(IncarnationId self, SharedDelta delta, Completion<void> done) {
  if (mutant_ == Mutant::OutboxRowsLater && delta->finished) {
    Delta without = *delta;
    without.finished->outbox.clear();
    delta = share(std::move(without));
  }
  if (mutant_ == Mutant::IntentNotRecorded) {
    Delta without = *delta;
    without.calls_started.clear();
    delta = share(std::move(without));
  }
  if (mutant_ == Mutant::ActsBeforeDurable && !delta->finished) {
    append_rows(self, std::move(delta), [](const Result<void>&) {});
    return process_.post([done = std::move(done)] { done({}); });
  }
  append_rows(self, std::move(delta), std::move(done));
}

void LedgerClient::append_rows(IncarnationId self, SharedDelta delta, Completion<void> done) {
  if (delta->finished) database_.checker().job_ends(self, delta->job);
  call<void>(
      {LedgerCall::Append, self, true},
      [self, delta = std::move(delta)](FakeLedger& rows, Completion<void> answer) {
        if (unstorable(*delta)) return answer(invalid_argument("invalid byte sequence"));
        rows.append(self, delta, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::begin_sub_agent(IncarnationId self, SubAgentOrder order,
                                   Completion<SubAgentStanding> done) {
  call<SubAgentStanding>(
      {LedgerCall::BeginSubAgent, self, true},
      [self, order = std::move(order)](FakeLedger& rows, Completion<SubAgentStanding> answer) {
        rows.begin_sub_agent(self, order, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::begin_summary(IncarnationId self, SummaryOrder order,
                                 Completion<SummaryStanding> done) {
  call<SummaryStanding>(
      {LedgerCall::BeginSummary, self, true},
      [self, order = std::move(order)](FakeLedger& rows, Completion<SummaryStanding> answer) {
        rows.begin_summary(self, order, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::hand_back(IncarnationId self, std::vector<ReturnedJob> jobs,
                             Completion<void> done) {
  call<void>(
      {LedgerCall::HandBack, self, true},
      [self, jobs = std::move(jobs)](FakeLedger& rows, Completion<void> answer) {
        rows.hand_back(self, jobs, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::own_shards(IncarnationId self, Completion<std::vector<ShardState>> done) {
  using Shards = std::vector<ShardState>;
  call<Shards>(
      {LedgerCall::OwnShards, self, true},
      [self](FakeLedger& rows, Completion<Shards> answer) {
        rows.own_shards(self, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::pending_shards(IncarnationId self, Completion<std::vector<int>> done) {
  call<std::vector<int>>(
      {LedgerCall::PendingShards, self, false},
      [self](FakeLedger& rows, Completion<std::vector<int>> answer) {
        rows.pending_shards(self, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::next_batch(IncarnationId self, BatchRequest request,
                              Completion<OutboxBatch> done) {
  call<OutboxBatch>(
      {LedgerCall::NextBatch, self, true},
      [self, request = std::move(request)](FakeLedger& rows, Completion<OutboxBatch> answer) {
        rows.next_batch(self, request, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::withdraw_batch(IncarnationId self, int shard, std::int64_t version,
                                  Completion<void> done) {
  call<void>(
      {LedgerCall::WithdrawBatch, self, true},
      [=](FakeLedger& rows, Completion<void> answer) {
        rows.withdraw_batch(self, shard, version, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::replace_record(IncarnationId self, int shard, RecordReplacement replacement,
                                  Completion<void> done) {
  call<void>(
      {LedgerCall::ReplaceRecord, self, true},
      [self, shard, replacement = std::move(replacement)](FakeLedger& rows,
                                                          Completion<void> answer) {
        rows.replace_record(self, shard, replacement, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::stop_shard(IncarnationId self, ShardState known, std::string reason,
                              Completion<void> done) {
  call<void>(
      {LedgerCall::StopShard, self, true},
      [=](FakeLedger& rows, Completion<void> answer) {
        rows.stop_shard(self, known, reason, std::move(answer));
      },
      std::move(done));
}

void LedgerClient::remove_batch(IncarnationId self, RetentionRules rules,
                                Completion<RemovedRows> done) {
  call<RemovedRows>(
      {LedgerCall::RemoveBatch, self, true},
      [self, rules = std::move(rules)](FakeLedger& rows, Completion<RemovedRows> answer) {
        rows.remove_batch(self, rules, std::move(answer));
      },
      std::move(done));
}

}  // namespace ba::sim
