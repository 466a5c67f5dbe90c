// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/request_admission.hpp"

#include <utility>

namespace ba {

bool RequestAdmission::Ticket::enter() {
  if (state_ == State::Inside) return true;
  if (state_ == State::Waiting) return false;
  if (!admission_.has_room() || !admission_.waiting_.empty()) {
    place_ = admission_.waiting_.insert(admission_.waiting_.end(), this);
    state_ = State::Waiting;
    return false;
  }
  admission_.take_in(*this);
  return true;
}

void RequestAdmission::Ticket::accepted() {
  if (state_ != State::Inside) return;
  const bool counts = pause_ == admission_.pauses_;
  admission_.go_out(*this);
  if (counts && admission_.slow_ && ++admission_.most_ >= kEverybody) admission_.slow_ = false;
  admission_.let_in();
}

void RequestAdmission::Ticket::refused() {
  if (state_ == State::Waiting) admission_.waiting_.erase(place_);
  state_ = State::Outside;
  admission_.slow_ = true;
  admission_.most_ = 1;
  admission_.inside_ = 0;
  ++admission_.pauses_;
  // They are told of the pause and come back after it.
  for (Ticket* each : std::exchange(admission_.waiting_, {})) {
    each->state_ = State::Outside;
    each->let_in_();
  }
}

void RequestAdmission::Ticket::leave() {
  const State before = state_;
  if (before == State::Waiting) admission_.waiting_.erase(place_);
  if (before == State::Inside) admission_.go_out(*this);
  state_ = State::Outside;
  if (before != State::Outside) admission_.let_in();
}

void RequestAdmission::take_in(Ticket& ticket) {
  ticket.state_ = Ticket::State::Inside;
  ticket.pause_ = pauses_;
  ++inside_;
}

void RequestAdmission::go_out(Ticket& ticket) {
  ticket.state_ = Ticket::State::Outside;
  if (ticket.pause_ == pauses_) --inside_;
}

void RequestAdmission::let_in() {
  while (!waiting_.empty() && has_room()) {
    Ticket& next = *waiting_.front();
    waiting_.pop_front();
    take_in(next);
    next.let_in_();
  }
}

}  // namespace ba
