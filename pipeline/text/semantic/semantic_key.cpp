// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/semantic_key.hpp"

#include <openssl/evp.h>
#include <array>
#include <nlohmann/json.hpp>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/semantic/canonical_json.hpp"

namespace ba {
namespace {

constexpr std::size_t kVersionDigits = 8;

/// Looked up once: OpenSSL 3 would search its providers at every call.
const EVP_MD* sha256() {
  static EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}

}  // namespace

std::string sha256_hex_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  BA_ASSERT(EVP_Digest(text.data(), text.size(), digest.data(), &size, sha256(), nullptr) == 1);
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

struct ContentHash::Digest {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free};
};

ContentHash::ContentHash() : digest_(std::make_unique<Digest>()) {
  BA_ASSERT(EVP_DigestInit_ex(digest_->context.get(), sha256(), nullptr) == 1);
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

std::string ContentHash::hex_with(std::string_view rest) const {
  ContentHash whole;
  BA_ASSERT(EVP_MD_CTX_copy_ex(whole.digest_->context.get(), digest_->context.get()) == 1);
  whole.add(rest);
  return whole.hex();
}

std::string configured_version(std::string_view version,
                               const std::vector<std::string>& depends_on) {
  std::string all;
  for (const std::string& one : depends_on) all += std::to_string(one.size()) + ":" + one;
  return std::string(version) + "+" + sha256_hex_of(all).substr(0, kVersionDigits);
}

}  // namespace ba
