#pragma once
// SPDX-License-Identifier: Apache-2.0
// A Kafka record as the contract reads it, and why one could not be read. Views borrow from the
// consumer for the duration of the call.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/core/ledger/intake_records.hpp"
#include "pipeline/core/ledger/outbox_records.hpp"

namespace ba {

// The codes of dead letters, all there are: schemas/asyncapi.yaml has the same.

/// Why a record is no job.
inline constexpr std::array<std::string_view, 14> kRecordCodes{
    "EMPTY_RECORD",  "TOO_LARGE",      "BAD_CONTENT_TYPE", "BAD_FRAMING",   "BAD_JSON",
    "BAD_PROTOBUF",  "BAD_UTF8",       "BAD_EVENT",        "MISSING_FIELD", "WRONG_TYPE",
    "INVALID_FIELD", "UNKNOWN_FORMAT", "UNKNOWN_VERSION",  "LEDGER_REFUSED"};

/// Why a job could not be run: it crashed its workers; the ledger's form of it can't be read; nor
/// can its run or conversation (the code of the ledger's error).
inline constexpr std::array<std::string_view, 5> kJobCodes{
    "ATTEMPTS_EXHAUSTED", "UNREADABLE_JOB", "CORRUPT", "INVALID_ARGUMENT", "NOT_FOUND"};

/// One of kRecordCodes; any other text does not compile.
class RecordCode {
 public:
  consteval RecordCode(const char* code) : code_(code) {
    if (std::find(kRecordCodes.begin(), kRecordCodes.end(), code_) == kRecordCodes.end())
      throw "the code is not in kRecordCodes";
  }

  std::string text() const { return std::string(code_); }
  friend bool operator==(const RecordCode&, const RecordCode&) = default;

 private:
  std::string_view code_;
};

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
