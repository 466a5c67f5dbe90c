#pragma once
// SPDX-License-Identifier: Apache-2.0
// Kills the process with SIGKILL at a named point of a job's life, as BA_CRASH_AT=<point>[:<n>]
// asks: at the n-th time (default 1) that this process gets there. With BA_CRASH_HOW=stop it stops
// there (SIGSTOP) until somebody sends SIGCONT, so that anything else can be broken at that point.
// With BA_EFFECTS_JOURNAL=<file> it has the tools of effect_tools.hpp. Made of decorators around
// the worker's ports, so that the product has no trace of it.
//
//   intake_committed   jobs are in the ledger, Kafka's offsets are not committed
//   job_claimed        before the first model call
//   model_in_flight    the request is sent, no reply yet
//   reply_received     the reply is not committed
//   reply_committed    the reply is committed, a tool is about to run
//   effect_done        a counted effect has happened, its tool has not answered
//   note_written       the server of tools (MCP) of tests/chaos has acted and hasn't answered: it
//                      sends the signal itself
//   cache_leads        this worker is to make a result that others wait for
//   result_cached      a result is in the shared cache, its call has no outcome yet
//   artifact_kept      a large result is kept, its call has no outcome yet
//   tool_finished      the outcome is not committed
//   step_committed     some step is committed, the worker doesn't know yet
//   sub_agent_begun    a sub-agent's job is in the ledger, before its first model call
//   sub_agent_ended    its end is committed, the call that asked for it has no outcome yet
//   job_finished       the final transaction is committed, nothing is published
//   batch_assigned     a batch has its number in PostgreSQL, nothing is sent to Kafka
//   batch_published    the Kafka transaction is committed, PostgreSQL doesn't know
//   summary_written    a model has written a summary, or not; nothing of that is committed
//   shard_opened       a shard's producer is initialised, its receipt read

#include "worker/runtime/run_worker.hpp"

namespace ba {

/// Reads the variables; a value that isn't known ends the process with a message.
runtime::Decorators crash_decorators();

}  // namespace ba
