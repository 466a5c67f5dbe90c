// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/run_losses.hpp"

#include <algorithm>

namespace ba {
namespace {

bool lost(const SummaryRow& row) { return row.state == SummaryState::Lost; }

bool unpaid(const SummaryRow& row) {
  return row.reused || (row.state == SummaryState::Failed && row.model.empty());
}

}  // namespace

void RunLosses::writes(const Delta& delta) {
  writing_ = {delta.summaries, static_cast<int>(delta.steps.size()), delta.wasted_model_calls};
}

void RunLosses::refused(const ConversationState& state,
                        const std::optional<SummaryInWork>& summary) {
  if (summary && !summary->paid) unpaid_.push_back(summary->at);
  const auto add = [this](const std::vector<SummaryRow>& rows) {
    for (const SummaryRow& row : rows)
      if (unpaid(row)) unpaid_.push_back(row.at);
  };
  add(writing_.summaries);
  add(state.summaries.ended);
}

void RunLosses::forget(const ConversationState& state) {
  // Lost ones that no row tells of yet: whoever loads the job finds and counts them again.
  const auto not_counted = std::ranges::count_if(writing_.summaries, lost) +
                           std::ranges::count_if(state.summaries.ended, lost);
  before_ = state.bill.wasted_here - static_cast<int>(not_counted);
  before_ += writing_.replies;
}

void RunLosses::loaded_again(ConversationState& state) const {
  int lost_summaries = 0;
  for (SummaryRow& row : state.summaries.ended) {
    if (std::ranges::find(unpaid_, row.at) == unpaid_.end()) {
      ++lost_summaries;
      continue;
    }
    row.state = SummaryState::Failed;
    --state.bill.totals.wasted_model_calls;
  }
  state.bill.wasted_here = before_ + lost_summaries;
  state.bill.totals.wasted_model_calls += before_ - recorded_;
}

}  // namespace ba
