#pragma once
// SPDX-License-Identifier: Apache-2.0
// What an answer of librdkafka means, in ONE table. Its error codes stand here as plain numbers
// (the values of rd_kafka_resp_err_t), so that nobody else needs the library's header. Pure.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba::kafka {

/// A failed call or event: the code and the flags of rd_kafka_error_t.
struct KafkaFailure {
  int code = 0;
  bool fatal = false;           ///< this client instance is dead
  bool retriable = false;       ///< the operation goes on; call the same function again
  bool requires_abort = false;  ///< the transaction can't be committed any more
  std::string text;             ///< the library's own words
};

/// What the adapter does about it.
enum class KafkaStep {
  RepeatCall,      ///< the same call with the same arguments, bounded; taints the transaction
  ReplaceClient,   ///< destroy it, make a new one; the receipt says what became of the transaction
  DropPartitions,  ///< the group gave them to somebody else
  Report,          ///< nothing to do here: it is for the caller
};

struct KafkaVerdict {
  ErrorCode code = ErrorCode::Internal;
  Retry retry = Retry::Later;
  KafkaStep step = KafkaStep::Report;
  bool maybe_done = false;  ///< the request may have taken effect

  friend bool operator==(const KafkaVerdict&, const KafkaVerdict&) = default;
};

KafkaVerdict judge(const KafkaFailure& failure);

/// `what` says what was being done: "committing batch 7 of shard 3".
Error to_error(const KafkaFailure& failure, std::string_view what);

}  // namespace ba::kafka
