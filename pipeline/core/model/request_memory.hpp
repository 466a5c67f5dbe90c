#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is remembered from one request to the next of the same model and job, each of which begins
// with the messages of the one before: so a step costs what is new in it. Owned by who decides what
// is sent (HistoryViews), and filled by who sends it. Control thread only.

#include <memory>

#include "pipeline/text/message/history_check.hpp"

namespace ba {

/// What a ModelClient keeps of the last request: its own affair.
class KeptOfRequest {
 public:
  virtual ~KeptOfRequest() = default;
};

struct RequestMemory {
  HistoryCheck check;                   ///< of the messages
  std::unique_ptr<KeptOfRequest> kept;  ///< null: nothing is
  /// Who saw the same one before knows that messages were only added since.
  std::shared_ptr<const int> lineage = std::make_shared<const int>(0);

  /// The next request begins with other messages.
  void forget() { *this = RequestMemory(); }
};

}  // namespace ba
