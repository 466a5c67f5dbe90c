// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/semantic_key.hpp"

#include <gtest/gtest.h>
#include <functional>
#include <set>

namespace ba {
namespace {

CallMeaning meaning() {
  CallMeaning call;
  call.tool = "query_database";
  call.tool_version = "1.0.0";
  call.tenant = "acme";
  call.caller = "analyst";
  call.permission = "default";
  call.parameters = R"({"sql":"SELECT 1"})";
  return call;
}

TEST(SemanticKey, IsTheSha256OfItsCanonicalForm) {
  const SemanticKey key = semantic_key(meaning());
  EXPECT_EQ(key.canonical,
            R"({"caller":"analyst","parameters":{"sql":"SELECT 1"},"permission":"default",)"
            R"("tenant":"acme","tool":"query_database","version":"1.0.0"})");
  EXPECT_EQ(key.digest, sha256_hex_of(key.canonical));
  EXPECT_EQ(key.digest.size(), 64U);
}

/// FIPS 180-2, appendix B.1.
TEST(SemanticKey, KnowsSha256) {
  EXPECT_EQ(sha256_hex_of("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SemanticKey, DiffersForEachPartOfTheCall) {
  const std::function<void(CallMeaning&)> changes[]{
      [](CallMeaning& call) { call.tool = "file_reader"; },
      [](CallMeaning& call) { call.tool_version = "1.0.1"; },
      [](CallMeaning& call) { call.tenant = "other"; },
      [](CallMeaning& call) { call.caller = "other"; },
      [](CallMeaning& call) { call.caller.reset(); },
      [](CallMeaning& call) { call.caller = ""; },
      [](CallMeaning& call) { call.permission = "admin"; },
      [](CallMeaning& call) { call.parameters = "{}"; },
      [](CallMeaning& call) { call.idempotency_key = "k"; }};
  for (const auto& change : changes) {
    CallMeaning call = meaning();
    change(call);
    EXPECT_NE(semantic_key(call).digest, semantic_key(meaning()).digest);
  }
}

TEST(SemanticKey, OfAGivenIdempotencyKeyHoldsNoParameters) {
  CallMeaning one = meaning();
  CallMeaning other = meaning();
  one.idempotency_key = other.idempotency_key = "k";
  other.parameters = "{}";
  EXPECT_EQ(semantic_key(one).digest, semantic_key(other).digest);
  other.tenant = "other";
  EXPECT_NE(semantic_key(one).digest, semantic_key(other).digest);
}

TEST(ContentHash, IsThatOfTheWholeInWhateverPiecesItComes) {
  ContentHash hash;
  std::string whole;
  for (int piece = 0; piece < 300; ++piece) {
    const std::string rest(static_cast<std::size_t>(piece % 71), 'r');
    EXPECT_EQ(hash.hex_with(rest), sha256_hex_of(whole + rest)) << piece;
    const std::string more(static_cast<std::size_t>(piece % 130), 'm');
    hash.add(more);
    whole += more;
  }
  EXPECT_EQ(hash.hex(), sha256_hex_of(whole));
}

TEST(ConfiguredVersion, IsTheVersionWithADigestOfWhatResultsDependOn) {
  const std::string version = configured_version("1.0.0", {"db", "host=a\n"});
  EXPECT_EQ(version.substr(0, 6), "1.0.0+");
  EXPECT_EQ(version.size(), 14U);
  EXPECT_EQ(version, configured_version("1.0.0", {"db", "host=a\n"}));
}

TEST(ConfiguredVersion, DiffersWhereAnyPartDoes) {
  const std::set<std::string> versions{
      configured_version("1.0.0", {}),          configured_version("1.0.0", {""}),
      configured_version("1.0.0", {"ab", "c"}), configured_version("1.0.0", {"a", "bc"}),
      configured_version("1.0.0", {"c", "ab"}), configured_version("1.0.1", {"ab", "c"})};
  EXPECT_EQ(versions.size(), 6U);
}

}  // namespace
}  // namespace ba
