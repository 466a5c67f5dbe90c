#pragma once
// SPDX-License-Identifier: Apache-2.0
// Protections that the ledger in memory can leave out, to show that a simulation notices. Values.

namespace ba {

struct LedgerFlaws {
  bool no_fence = false;         ///< nobody has to prove to be alive
  bool ended_may_write = false;  ///< a fence that doesn't see what happened meanwhile
  bool reaper_ignores_own_lease = false;
  bool jobs_stay_with_the_dead = false;
  bool shards_stay_with_the_dead = false;
  bool no_unique_job = false;
  bool job_key_without_tenant = false;
  bool conversation_key_without_tenant = false;
  bool final_delta_repeats = false;  ///< writes its outbox rows each time it comes
  bool epochs_not_compared = false;  ///< an offset of an older one counts
  bool claim_lists_new_only = false;
  bool attempt_not_counted = false;
  bool two_of_one_conversation = false;
  bool all_jobs_fresh = false;  ///< whatever is stored of them
  bool batch_grows_under_way = false;
  bool late_withdrawal_counts = false;  ///< of a batch that has become another
  bool withdrawn_number_comes_again = false;
  bool crash_not_told = false;
  bool orphans_pass = false;              ///< rows that refer to rows which aren't there
  bool wasted_calls_overwritten = false;  ///< one count for all incarnations
  bool crash_told_again = false;          ///< to the next ones, too, whatever was written since
  bool replaced_result_kept = false;      ///< only the outbox gets the smaller record
  bool replaces_by_name = false;          ///< the result of whatever job a replacement names
  bool incarnation_ids_come_again = false;
  bool sub_agents_stay = false;          ///< a job goes back without its sub-agents
  bool sub_agents_outlive = false;       ///< a job ends without them
  bool removes_unpublished = false;      ///< retention doesn't look whether a result is out
  bool summary_asked_again = false;      ///< at a place where one was lost
  bool waits_end_early = false;          ///< whatever they are allowed
  bool first_one_overdue = false;        ///< also the first of a conversation ends for its wait
  bool removes_part_of_history = false;  ///< retention looks at each job for itself
  bool removed_messages_stay = false;    ///< retention removes a job's row alone
};

}  // namespace ba
