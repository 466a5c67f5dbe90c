#pragma once
// SPDX-License-Identifier: Apache-2.0
// A record of a job topic as it came, before anybody decoded it. A value; it owns its bytes.

#include <optional>
#include <string>

#include "pipeline/ledger/intake_records.hpp"
#include "pipeline/ledger/outbox_records.hpp"

namespace ba {

struct RawRecord {
  RecordSource source;
  std::optional<std::string> key;
  std::string value;  ///< empty also for a record without a value (tombstone)
  Headers headers;
  bool no_value = false;  ///< it is a tombstone

  friend bool operator==(const RawRecord&, const RawRecord&) = default;
};

}  // namespace ba
