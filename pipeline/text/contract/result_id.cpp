// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/result_id.hpp"

#include <openssl/sha.h>

#include <array>
#include <initializer_list>

#include "pipeline/base/assert.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba {
namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest_of(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    const auto size = static_cast<std::uint64_t>(part.size());
    for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(size >> shift);
    text += part;
  }
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

int shard_from(const Digest& digest, int shards) {
  BA_ASSERT(shards > 0);
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | digest[static_cast<std::size_t>(i)];
  return static_cast<int>(number % static_cast<std::uint64_t>(shards));
}

}  // namespace

ResultId result_id(const TenantId& tenant, const JobId& job_id, std::string_view kind) {
  return ResultId(hex_of(digest_of({tenant.value, job_id.value, kind})));
}

ResultId dead_letter_id(const RecordSource& source) {
  return ResultId(hex_of(
      digest_of({"dead_letter", source.topic, source.topic_id, std::to_string(source.partition),
                 std::to_string(source.offset), std::to_string(source.timestamp_ms)})));
}

std::string effect_key(const TenantId& tenant, const JobId& job_id, const Position& call,
                       std::string_view tool) {
  return hex_of(digest_of({"effect", tenant.value, job_id.value, std::to_string(call.round),
                           std::to_string(call.step), std::to_string(call.index), tool}));
}

int shard_of(const TenantId& tenant, const JobId& job_id, int shards) {
  return shard_from(digest_of({tenant.value, job_id.value, "shard"}), shards);
}

int shard_of(const ResultId& id, int shards) {
  return shard_from(digest_of({id.value, "shard"}), shards);
}

std::string job_key(const Job& job) { return job.conversation_id.value; }

std::string result_key(const TenantId& tenant, const JobId& job_id) {
  return tenant.value + "/" + job_id.value;
}

}  // namespace ba
