// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/content_hash.hpp"

#include <openssl/evp.h>

#include <array>

#include "pipeline/base/assert.hpp"
#include "pipeline/text/semantic/hex_digits.hpp"

namespace ba {

struct ContentHash::Digest {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free};
};

ContentHash::ContentHash() : digest_(std::make_unique<Digest>()) {
  BA_ASSERT(EVP_DigestInit_ex(digest_->context.get(), EVP_sha256(), nullptr) == 1);
}

ContentHash::~ContentHash() = default;

void ContentHash::add(std::string_view text) {
  BA_ASSERT(EVP_DigestUpdate(digest_->context.get(), text.data(), text.size()) == 1);
}

std::string ContentHash::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  BA_ASSERT(EVP_DigestFinal_ex(digest_->context.get(), digest.data(), &size) == 1);
  return hex_of(std::span(digest).first(size));
}

}  // namespace ba
