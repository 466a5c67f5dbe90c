#pragma once
// SPDX-License-Identifier: Apache-2.0
// The codes of dead letters, all there are: schemas/asyncapi.yaml has the same. Values.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace ba {

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

}  // namespace ba
