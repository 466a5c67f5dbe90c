// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/sha256.hpp"

#include <openssl/evp.h>

#include <array>

#include "pipeline/base/assert.hpp"

namespace ba {

std::string sha256_hex(std::string_view data) {
  // Looked up once: OpenSSL 3 would search its providers at every call.
  static EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  BA_ASSERT(EVP_Digest(data.data(), data.size(), digest.data(), &size, sha256, nullptr) == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * size);
  for (unsigned int i = 0; i < size; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

}  // namespace ba
