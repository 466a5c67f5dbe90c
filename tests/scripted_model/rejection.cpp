// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/rejection.hpp"

#include <utility>

namespace ba::scripted {

std::string Place::dotted() const {
  std::string own = name_.empty() ? std::to_string(index_) : std::string(name_);
  return parent_ == nullptr ? own : parent_->dotted() + "." + own;
}

std::string Place::bracketed() const {
  if (parent_ == nullptr) return std::string(name_);
  if (name_.empty()) return parent_->bracketed() + "[" + std::to_string(index_) + "]";
  return parent_->bracketed() + "." + std::string(name_);
}

Refusal refuse(int status, std::string type, std::string message) {
  auto refusal = std::make_unique<Rejection>();
  refusal->status = status;
  refusal->type = std::move(type);
  refusal->message = std::move(message);
  return refusal;
}

Refusal refuse_dotted(const Place& place, std::string_view message) {
  return refuse(400, "invalid_request_error", place.dotted() + ": " + std::string(message));
}

Refusal refuse_bracketed(const Place& place, std::string_view message) {
  std::string param = place.bracketed();
  Refusal refusal = refuse(400, "invalid_request_error",
                           "Invalid value for '" + param + "': " + std::string(message));
  refusal->param = std::move(param);
  return refusal;
}

}  // namespace ba::scripted
