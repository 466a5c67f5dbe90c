#pragma once
// SPDX-License-Identifier: Apache-2.0
// A record of a job topic as it came, before anybody decoded it. A value; it owns its bytes.

#include <optional>
#include <string>

#include "pipeline/core/ledger/intake_records.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"

namespace ba {

/// Why the ledger would not have a record as what it was decoded to.
struct LedgerRefusal {
  std::string message;
  bool of_letter = false;  ///< nor as a dead letter that says so

  friend bool operator==(const LedgerRefusal&, const LedgerRefusal&) = default;
};

struct RawRecord {
  RecordSource source;
  std::optional<std::string> key;
  std::string value;  ///< empty also for a record without a value (tombstone)
  Headers headers;
  bool no_value = false;                 ///< it is a tombstone
  std::optional<LedgerRefusal> refusal;  ///< with one it is decoded to a dead letter

  friend bool operator==(const RawRecord&, const RawRecord&) = default;
};

/// What it weighs: key, value and headers.
inline std::size_t bytes_of(const RawRecord& record) {
  std::size_t bytes = record.value.size() + (record.key ? record.key->size() : 0);
  for (const auto& header : record.headers) bytes += header.first.size() + header.second.size();
  return bytes;
}

}  // namespace ba
