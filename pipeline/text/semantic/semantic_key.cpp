// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/semantic_key.hpp"

#include <openssl/evp.h>

#include <array>
#include <nlohmann/json.hpp>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/semantic/canonical_json.hpp"
#include "pipeline/text/semantic/hex_digits.hpp"

namespace ba {

std::string sha256_hex_of(std::string_view text) {
  // Looked up once: OpenSSL 3 would search its providers at every call.
  static EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  BA_ASSERT(EVP_Digest(text.data(), text.size(), digest.data(), &size, sha256, nullptr) == 1);
  return hex_of(std::span(digest).first(size));
}

SemanticKey semantic_key(const CallMeaning& call) {
  nlohmann::ordered_json meaning = {{"permission", call.permission},
                                    {"tenant", call.tenant},
                                    {"tool", call.tool},
                                    {"version", call.tool_version}};
  if (call.caller) meaning["caller"] = *call.caller;
  if (call.idempotency_key.empty())
    meaning["parameters"] = parse_exact_known<nlohmann::ordered_json>(call.parameters);
  else
    meaning["idempotency_key"] = call.idempotency_key;
  SemanticKey key;
  key.canonical = canonical_json(meaning, WideIntegers::Exact);
  key.digest = sha256_hex_of(key.canonical);
  return key;
}

}  // namespace ba
