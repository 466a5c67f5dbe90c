// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/secret.hpp"

namespace ba {

Secret& Secret::operator=(const Secret& other) {
  if (this == &other) return *this;
  wipe();
  text_ = other.text_;
  return *this;
}

Secret::Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { other.wipe(); }

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  wipe();
  text_ = std::move(other.text_);
  other.wipe();
  return *this;
}

Secret::~Secret() { wipe(); }

void Secret::wipe() noexcept {
  // volatile: a store to memory that is about to be freed must not be optimised away.
  volatile char* byte = text_.data();
  for (std::size_t i = 0; i < text_.size(); ++i) byte[i] = 0;
  text_.clear();
}

}  // namespace ba
