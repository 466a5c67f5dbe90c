#pragma once
// SPDX-License-Identifier: Apache-2.0
// Turns what the runtime tells into progress events for live displays. Made only where progress is
// published. Control thread only.

#include <functional>
#include <string_view>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/text/contract/progress_event.hpp"
#include "worker/driver/silent_observer.hpp"

namespace ba::runtime {

class ProgressObserver final : public driver::SilentObserver {
 public:
  using Publish = std::function<void(const ProgressEvent&)>;

  /// `publish` must be quick and never wait.
  ProgressObserver(const Clock& clock, Publish publish);

  void job_started(const ConversationState& state) override;
  void model_asked(const ConversationState& state) override;
  void tool_started(const ConversationState& state, const CallState& call) override;
  void tool_finished(const ConversationState& state, const CallState& call,
                     const ToolResult& result) override;
  void committed(const ConversationState& state, const Delta& delta) override;
  void job_finished(const ConversationState& state, const JobResult& result) override;

 private:
  void tell(const ConversationState& state, const ProgressEvent& event) const;
  ProgressEvent event_of(const ConversationState& state, ProgressKind kind) const;

  const Clock& clock_;
  const Publish publish_;
};

/// On one line, at most 200 code points: what an event's `text` may hold.
std::string progress_line(std::string_view text);

}  // namespace ba::runtime
