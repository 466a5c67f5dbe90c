#pragma once
// SPDX-License-Identifier: Apache-2.0
// What each model that a job asks is sent: a view for each of them, as skills may switch models.
// One owner; control thread.

#include <functional>
#include <map>

#include "pipeline/core/context/context_view.hpp"
#include "pipeline/core/model/request_memory.hpp"

namespace ba {

/// What is sent now.
struct SentHistory {
  std::vector<const Message*> messages;      ///< as ContextView::messages() gives them
  RequestMemory* memory = nullptr;           ///< of what this model was sent; of the views
  std::vector<CompressionEvent> events;      ///< of all views, since the last time
  std::optional<std::int64_t> tokens;        ///< of the messages, as ContextView has them
  std::int64_t output_ceiling = 0;           ///< as ContextView has it
  std::size_t moved = 0;                     ///< of the messages, as ContextView has them
  std::optional<ExactCountRow> undecided{};  ///< as ContextView::wanted_count() has it
};

class HistoryViews {
 public:
  using FrameOf = std::function<ContextFrame(const std::string& model)>;

  /// Borrows the rules, which outlive it. `meter` may be null where no window is known.
  HistoryViews(FrameOf frame_of, const CompressionRules& rules, TokenMeter* meter)
      : frame_of_(std::move(frame_of)), rules_(rules), meter_(meter) {}
  HistoryViews(FrameOf frame_of, CompressionRules&& rules, TokenMeter* meter) = delete;

  /// For the model that is asked next, which is the current one from then on.
  SentHistory messages(const std::string& model, const ViewedHistory& history);

  /// Of what was sent last, which was refused: counted now where it wasn't. None: nothing counts.
  std::optional<std::int64_t> count_refused(const std::vector<Message>& history) {
    return current_->view->count_tokens(history);
  }

  /// Of the job's history, for any model it was asked of.
  int compressions() const;

  /// Of the current model; null: none was asked.
  const ContextView* current() const { return current_ ? current_->view.get() : nullptr; }

 private:
  struct ModelView {
    std::unique_ptr<ContextView> view;
    RequestMemory memory;  ///< until its messages are others
  };

  ModelView& view_of(const std::string& model);

  const FrameOf frame_of_;
  const CompressionRules& rules_;
  TokenMeter* const meter_;
  std::map<std::string, ModelView> views_;
  std::size_t seen_models_ = 0;  ///< so many of the job's replies are of models with a view
  ModelView* current_ = nullptr;
};

}  // namespace ba
