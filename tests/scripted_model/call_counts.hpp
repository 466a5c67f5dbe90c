#pragma once
// SPDX-License-Identifier: Apache-2.0
// Counts what a provider would have billed: every request that was accepted, by the question it
// asked. With a journal, each is also one line of a file, written before the answer is, so that
// the count outlives this process. One thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba::scripted {

struct AcceptedCall {
  std::string_view question;
  std::size_t step = 0;
  std::string_view protocol;
  std::string_view model;
  std::uint64_t body_hash = 0;  ///< equal for a repeated request
};

class CallCounts {
 public:
  CallCounts() = default;
  ~CallCounts();
  CallCounts(const CallCounts&) = delete;
  CallCounts& operator=(const CallCounts&) = delete;

  /// Appends to the file, which may exist.
  Result<void> open_journal(const std::string& path);

  void accepted(const AcceptedCall& call);
  void rejected(int status, std::string_view message);  ///< malformed: never paid
  void failed_on_purpose() { ++failed_on_purpose_; }    ///< a scripted error status: not paid
  void cancelled() { ++cancelled_; }                    ///< the client went away; paid all the same
  void reset();

  std::int64_t total() const { return accepted_; }
  std::string json() const;

 private:
  struct Rejected {
    int status = 0;
    std::string message;
  };

  void append_to_journal(const AcceptedCall& call);

  int journal_ = -1;
  std::int64_t accepted_ = 0;
  std::int64_t rejected_ = 0;
  std::int64_t failed_on_purpose_ = 0;
  std::int64_t cancelled_ = 0;
  std::unordered_map<std::string, std::vector<std::int64_t>> by_question_;  ///< and step
  std::vector<Rejected> last_rejections_;
  std::string line_;
  std::string key_;
};

}  // namespace ba::scripted
