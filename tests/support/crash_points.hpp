#pragma once
// SPDX-License-Identifier: Apache-2.0
// Kills the process with SIGKILL at a named point of a job's life, as BA_CRASH_AT=<point>[:<n>]
// asks: at the n-th time (default 1) that this process gets there. Made of decorators around the
// worker's ports, so that the product has no trace of it.
//
//   intake_committed   jobs are in the ledger, Kafka's offsets are not committed
//   job_claimed        before the first model call
//   model_in_flight    the request is sent, no reply yet
//   reply_received     the reply is not committed
//   reply_committed    the reply is committed, a tool is about to run
//   tool_finished      the outcome is not committed
//   job_finished       the final transaction is committed, nothing is published
//   batch_published    the Kafka transaction is committed, PostgreSQL doesn't know

#include "worker/runtime/run_worker.hpp"

namespace ba {

/// Reads BA_CRASH_AT; a name that isn't listed above ends the process with a message.
Decorators crash_decorators();

}  // namespace ba
