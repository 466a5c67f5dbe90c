#pragma once
// SPDX-License-Identifier: Apache-2.0
// A Kafka record as the contract reads it, and why one could not be read. Views borrow from the
// consumer for the duration of the call.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/core/ledger/intake_records.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"
#include "pipeline/text/contract/dead_letter_code.hpp"

namespace ba {

struct RecordView {
  std::optional<std::string_view> key;
  std::string_view value;  ///< empty also for a null value
  const Headers& headers;
  RecordSource source;
  bool no_value = false;  ///< the value is null, not empty
};

/// Why a record is no job.
struct DeadLetterReason {
  RecordCode reason;
  std::string field;    ///< "messages[2]"; empty: the record as a whole
  std::string message;  ///< for a person: what was found and what would be right

  friend bool operator==(const DeadLetterReason&, const DeadLetterReason&) = default;
};

/// The last value of the header with this name (case matters), if there is one.
std::optional<std::string_view> header(const Headers& headers, std::string_view name);

/// Names and values together.
std::size_t bytes_of(const Headers& headers);

}  // namespace ba
