// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/history_views.hpp"

namespace ba {

HistoryViews::ModelView& HistoryViews::view_of(const std::string& model) {
  ModelView& view = views_[model];
  if (!view.view) view.view = std::make_unique<ContextView>(frame_of_(model), rules_, meter_);
  return view;
}

SentHistory HistoryViews::messages(const std::string& model, const ViewedHistory& history) {
  SentHistory sent;
  const auto take_events = [&sent](ContextView& view) {
    for (CompressionEvent& event : view.take_events()) sent.events.push_back(std::move(event));
  };
  // After a restart the others are there again, with what they were compressed to.
  for (; seen_models_ < history.asked_of.size(); ++seen_models_) {
    const std::string& other = history.asked_of[seen_models_];
    if (other == model || views_.contains(other)) continue;
    ContextView& view = *view_of(other).view;
    view.catch_up(history);
    take_events(view);
  }
  current_ = &view_of(model);
  ContextView& view = *current_->view;
  const int moves = view.moves();
  sent.messages = view.messages(history);
  take_events(view);
  if (view.moves() != moves) current_->memory.forget();
  sent.memory = &current_->memory;
  sent.tokens = view.estimated_tokens();
  sent.output_ceiling = view.output_ceiling();
  sent.moved = view.moved();
  sent.undecided = view.wanted_count();
  return sent;
}

int HistoryViews::compressions() const {
  int compressions = 0;
  for (const auto& [model, view] : views_) compressions += view.view->compressions();
  return compressions;
}

}  // namespace ba
