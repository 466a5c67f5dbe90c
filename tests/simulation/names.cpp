// SPDX-License-Identifier: Apache-2.0
// The names of marks and mutants, as they stand in reports and on the command line.
#include <array>

#include "tests/simulation/marks.hpp"
#include "tests/simulation/mutants.hpp"
#include "tests/simulation/protections/protections.hpp"

namespace ba::sim {
namespace {

constexpr std::array<std::string_view, kMarks> kMarkNames{"commit-answer-lost",
                                                          "late-commit-applied",
                                                          "commit-refused",
                                                          "database-crashed",
                                                          "database-set-back",
                                                          "fenced-write-refused",
                                                          "fenced-while-paused",
                                                          "life-lost",
                                                          "incarnation-void",
                                                          "reaper-reaped",
                                                          "reaper-waited",
                                                          "reaper-was-dead",
                                                          "claim-answer-lost",
                                                          "intake-answer-lost",
                                                          "record-repeated",
                                                          "dead-letter-taken",
                                                          "offset-commit-refused",
                                                          "rebalanced",
                                                          "member-expired",
                                                          "lane-paused",
                                                          "topic-made-again",
                                                          "intake-began-anew",
                                                          "transaction-aborted",
                                                          "transaction-timed-out",
                                                          "late-end-txn",
                                                          "producer-fenced",
                                                          "coordinator-moved",
                                                          "guard-replaced-producer",
                                                          "receipt-said-sent",
                                                          "receipt-said-unsent",
                                                          "record-refused",
                                                          "topic-closed",
                                                          "result-replaced",
                                                          "forged-letter-replaced",
                                                          "shard-stopped-ahead",
                                                          "shard-stopped-behind",
                                                          "tool-outcome-unknown",
                                                          "tool-repeated-with-key",
                                                          "tool-retried",
                                                          "call-found-running",
                                                          "model-call-wasted",
                                                          "model-call-abandoned",
                                                          "model-reply-lost",
                                                          "reply-cut",
                                                          "reply-found-no-room",
                                                          "context-refused",
                                                          "answered-after-refusal",
                                                          "job-poisoned",
                                                          "job-over-deadline",
                                                          "job-waited-too-long",
                                                          "job-over-limit",
                                                          "job-refused-by-ledger",
                                                          "job-handed-back",
                                                          "job-waited",
                                                          "call-happened",
                                                          "call-did-not-happen",
                                                          "call-given-up",
                                                          "conversation-continued",
                                                          "conversation-began-anew",
                                                          "request-after-removal",
                                                          "job-removed",
                                                          "outbox-row-removed",
                                                          "dead-letter-removed",
                                                          "cancel-heard",
                                                          "pause-heard",
                                                          "job-cancelled",
                                                          "job-paused",
                                                          "job-resumed",
                                                          "idle-job-cancelled",
                                                          "summary-asked",
                                                          "summary-used",
                                                          "summary-reused",
                                                          "summary-refused",
                                                          "summary-lost",
                                                          "context-counted",
                                                          "count-failed",
                                                          "count-found-durable",
                                                          "task-repeated",
                                                          "sub-agent-ended",
                                                          "sub-agent-cancelled",
                                                          "sub-agent-held",
                                                          "sub-agent-went-on",
                                                          "result-shared",
                                                          "flight-elsewhere",
                                                          "flight-joined",
                                                          "flight-taken-over",
                                                          "cache-unreachable",
                                                          "artifact-fetched",
                                                          "artifact-not-kept",
                                                          "served-call-unknown",
                                                          "served-call-did-nothing",
                                                          "served-call-sent-again",
                                                          "served-effect-unheard",
                                                          "served-tool-came-late",
                                                          "server-forgot-session",
                                                          "server-connected-again",
                                                          "pipe-broke",
                                                          "skill-activated",
                                                          "skill-read",
                                                          "skill-ended",
                                                          "skill-end-refused",
                                                          "skill-cycle-refused",
                                                          "skill-depth-refused",
                                                          "skill-forbade-call",
                                                          "skill-ended-by-round",
                                                          "skill-taken-over",
                                                          "skill-messages-taken-over",
                                                          "worker-killed",
                                                          "worker-killed-mid-task",
                                                          "worker-paused",
                                                          "worker-drained"};

constexpr std::array<std::string_view, static_cast<std::size_t>(Mutant::kCount)> kMutantNames{
    "none",
    "no-fence",
    "fence-without-lock",
    "reaper-ignores-own-lease",
    "reaper-keeps-jobs",
    "reaper-keeps-shards",
    "no-unique-job",
    "job-key-without-tenant",
    "conversation-key-without-tenant",
    "final-delta-repeats",
    "offsets-before-jobs",
    "dead-letters-dropped",
    "epochs-not-compared",
    "claim-lists-new-only",
    "attempt-not-counted",
    "two-of-one-conversation",
    "all-jobs-fresh",
    "outbox-rows-later",
    "batch-grows-under-way",
    "crash-not-told",
    "wasted-calls-overwritten",
    "crash-told-again",
    "replaced-result-kept",
    "withdrawn-number-comes-again",
    "late-withdrawal-counts",
    "incarnation-ids-come-again",
    "sub-agents-stay",
    "sub-agents-outlive",
    "summary-asked-again",
    "unpublished-jobs-removed",
    "histories-removed-in-part",
    "removed-messages-stay",
    "waits-end-early",
    "first-one-overdue",
    "artifacts-needed-removed",
    "flights-not-held",
    "receipt-outside",
    "receipt-read-before-init",
    "no-init-after-failure",
    "unknown-commit-is-success",
    "unknown-commit-is-failure",
    "set-back-ignored",
    "lost-receipt-ignored",
    "offset-committed-at-once",
    "start-at-kafka-offset",
    "intent-not-recorded",
    "intent-not-read",
    "acts-before-durable",
    "key-per-try",
    "class-ignored",
    "unknown-is-failure"};

Mutant left_out_now = Mutant::None;

}  // namespace

std::string_view to_string(Mark mark) { return kMarkNames.at(static_cast<std::size_t>(mark)); }

std::string_view to_string(Mutant mutant) {
  const auto number = static_cast<std::size_t>(mutant);
  return number < kMutantNames.size() ? kMutantNames.at(number)
                                      : kProtections.at(number - kMutantNames.size());
}

std::vector<Mutant> all_mutants() {
  std::vector<Mutant> mutants;
  for (std::size_t i = 1; i < kMutantNames.size() + kProtections.size(); ++i)
    mutants.push_back(static_cast<Mutant>(i));
  return mutants;
}

void leave_out(Mutant mutant) { left_out_now = mutant; }

bool left_out(int protection) {
  return static_cast<int>(left_out_now) == static_cast<int>(Mutant::kCount) + protection;
}

LedgerFlaws flaws_of(Mutant mutant) {
  LedgerFlaws flaws;
  flaws.no_fence = mutant == Mutant::NoFence;
  flaws.ended_may_write = mutant == Mutant::FenceWithoutLock;
  flaws.reaper_ignores_own_lease = mutant == Mutant::ReaperIgnoresOwnLease;
  flaws.jobs_stay_with_the_dead = mutant == Mutant::ReaperKeepsJobs;
  flaws.shards_stay_with_the_dead = mutant == Mutant::ReaperKeepsShards;
  flaws.no_unique_job = mutant == Mutant::NoUniqueJob;
  flaws.job_key_without_tenant = mutant == Mutant::JobKeyWithoutTenant;
  flaws.conversation_key_without_tenant = mutant == Mutant::ConversationKeyWithoutTenant;
  flaws.final_delta_repeats = mutant == Mutant::FinalDeltaRepeats;
  flaws.epochs_not_compared = mutant == Mutant::EpochsNotCompared;
  flaws.claim_lists_new_only = mutant == Mutant::ClaimListsNewOnly;
  flaws.attempt_not_counted = mutant == Mutant::AttemptNotCounted;
  flaws.two_of_one_conversation = mutant == Mutant::TwoOfOneConversation;
  flaws.all_jobs_fresh = mutant == Mutant::AllJobsFresh;
  flaws.batch_grows_under_way = mutant == Mutant::BatchGrowsUnderWay;
  flaws.crash_not_told = mutant == Mutant::CrashNotTold;
  flaws.crash_told_again = mutant == Mutant::CrashToldAgain;
  flaws.replaced_result_kept = mutant == Mutant::ReplacedResultKept;
  flaws.withdrawn_number_comes_again = mutant == Mutant::WithdrawnNumberComesAgain;
  flaws.late_withdrawal_counts = mutant == Mutant::LateWithdrawalCounts;
  flaws.incarnation_ids_come_again = mutant == Mutant::IncarnationIdsComeAgain;
  flaws.orphans_pass =
      mutant == Mutant::ActsBeforeDurable || to_string(mutant) == "history-not-compared";
  flaws.replaces_by_name = to_string(mutant) == "letter-replaced-as-it-claims";
  flaws.sub_agents_stay = mutant == Mutant::SubAgentsStay;
  flaws.sub_agents_outlive = mutant == Mutant::SubAgentsOutlive;
  flaws.summary_asked_again = mutant == Mutant::SummaryAskedAgain;
  flaws.removes_unpublished = mutant == Mutant::UnpublishedJobsRemoved;
  flaws.removes_part_of_history = mutant == Mutant::HistoriesRemovedInPart;
  flaws.removed_messages_stay = mutant == Mutant::RemovedMessagesStay;
  flaws.waits_end_early = mutant == Mutant::WaitsEndEarly;
  flaws.first_one_overdue = mutant == Mutant::FirstOneOverdue;
  flaws.wasted_calls_overwritten = mutant == Mutant::WastedCallsOverwritten;
  return flaws;
}

}  // namespace ba::sim
