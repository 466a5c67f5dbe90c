#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which lost calls of a run the ledger has on record, and what a refused write takes along with it:
// a job that is loaded again must count each loss once. A part of RunProtocol.

#include "pipeline/core/conversation/event.hpp"

namespace ba {

/// One that is being written, and was asked of a model or not.
struct SummaryInWork {
  Position at;
  bool paid = false;
};

class RunLosses {
 public:
  /// Lost calls of the job that this incarnation has on record: the ledger keeps the greatest count
  /// of an incarnation, so the next one goes on from there.
  int recorded() const { return recorded_; }
  void go_on_from(int recorded) { recorded_ = recorded; }

  /// The job was loaded; its rows don't say what is on record of this incarnation.
  void loaded(ConversationState& state) const { state.bill.wasted_here += recorded_; }

  void writes(const Delta& delta);
  void written() { recorded_ = writing_.wasted; }

  /// On record, and no model was or will be asked for it.
  void never_asked(const Position& summary) { unpaid_.push_back(summary); }

  /// The last write was refused: what of the summaries wasn't paid.
  void refused(const ConversationState& state, const std::optional<SummaryInWork>& summary);

  /// Before the job is loaded again: its lost calls, with replies that can't be stored.
  void forget(const ConversationState& state);

  /// After that: the state counts what only this run knows to be lost.
  void loaded_again(ConversationState& state) const;

 private:
  struct Writing {
    std::vector<SummaryRow> summaries;
    int replies = 0;
    int wasted = 0;
  };

  Writing writing_;
  int recorded_ = 0;
  int before_ = 0;                ///< when the write was refused
  std::vector<Position> unpaid_;  ///< summaries whose rows say nothing of that
};

}  // namespace ba
