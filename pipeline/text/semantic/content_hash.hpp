#pragma once
// SPDX-License-Identifier: Apache-2.0
// The SHA-256 of a content that comes in pieces. One thread.

#include <memory>
#include <string>
#include <string_view>

namespace ba {

class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(std::string_view text);

  /// Of all that was added, as sha256_hex_of() has it. Once, at the end.
  std::string hex();

 private:
  struct Digest;
  std::unique_ptr<Digest> digest_;
};

}  // namespace ba
