// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/finished_jobs.hpp"

namespace ba {
namespace {

constexpr Statement kEndAttempts{"end_attempts", R"sql(
  UPDATE attempts a SET ended_at = now(), ending = 'finished'
  FROM jobs j WHERE j.id = ANY ($1::bigint[]) AND a.job = j.id AND a.claim = j.claims)sql"};

constexpr Statement kAddToConversations{"add_to_conversations", R"sql(
  UPDATE conversations c
  SET updated_at = now(), jobs = c.jobs + 1, rounds = c.rounds + j.rounds,
      steps = c.steps + j.steps, tool_calls = c.tool_calls + j.tool_calls,
      input_tokens = c.input_tokens + j.input_tokens + j.cache_read_tokens
                     + j.cache_write_tokens,
      output_tokens = c.output_tokens + j.output_tokens,
      cost_micro_usd = c.cost_micro_usd + j.cost_micro_usd
  FROM jobs j WHERE j.id = ANY ($1::bigint[]) AND c.id = j.conversation)sql"};

}  // namespace

void close_finished(Transaction& transaction, const BigintArray& jobs) {
  transaction.run(kEndAttempts, jobs);
  transaction.run(kAddToConversations, jobs);
}

}  // namespace ba
