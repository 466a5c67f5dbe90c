#pragma once
// SPDX-License-Identifier: Apache-2.0
// A protocol with a provider and a model, asked without any network.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/worker/llm/llm_messages.hpp"
#include "tests/worker/llm/stream_in_pieces.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {

class ProtocolFixture : public ::testing::Test {
 protected:
  explicit ProtocolFixture(const Protocol* protocol) {
    provider_.name = "p";
    provider_.protocol = protocol;
    provider_.base_url = "http://127.0.0.1:1";
    model_.name = "m";
    model_.provider = "p";
    model_.model_id = "model-1";
    model_.max_output_tokens = 100;
  }

  ProtocolContext context() const { return {provider_, model_, limits_}; }
  const Protocol& protocol() const { return *provider_.protocol; }

  Result<std::string> body(TestRequest& request) const {
    return protocol().request_body(request.get(), context());
  }
  nlohmann::json written(TestRequest& request) const {
    const auto text = body(request);
    EXPECT_TRUE(text) << (text ? "" : text.error().message);
    return text ? nlohmann::json::parse(*text) : nlohmann::json();
  }
  Result<ProtocolReply> read(const std::string& text) const {
    return protocol().read_reply(text, context());
  }

  /// The reply of a whole event stream that arrives in pieces of `piece` bytes.
  Result<ProtocolReply> stream(const std::string& bytes, std::size_t piece = 0) const {
    return stream_in_pieces(protocol(), context(), bytes, piece);
  }

  void expect_malformed(const Result<ProtocolReply>& result, const std::string& part) const {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::Protocol) << result.error().message;
    EXPECT_EQ(result.error().retry, Retry::Later);
    EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
  }

  /// Paid once: asked again it would be as long.
  void expect_too_long(const Result<ProtocolReply>& result) const {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::LimitExceeded) << result.error().message;
    EXPECT_EQ(result.error().retry, Retry::Never);
    EXPECT_TRUE(result.error().maybe_done);
    EXPECT_NE(result.error().message.find("reply_bytes_max"), std::string::npos);
  }

  ProviderConfig provider_;
  ModelConfig model_;
  LlmLimits limits_;
};

/// A protocol's fixture whose tests run once for each kind of server: what they say holds whatever
/// the quirks are.
template <typename Fixture>
class WithAnyServer : public Fixture, public ::testing::WithParamInterface<LlmQuirks> {
 protected:
  WithAnyServer() { this->provider_.quirks = GetParam(); }
};

inline std::vector<LlmQuirks> every_quirk() {
  std::vector<LlmQuirks> all;
  for (const auto& [quirk, name] : kLlmQuirksNames) all.push_back(quirk);
  return all;
}

inline std::string quirk_name(const ::testing::TestParamInfo<LlmQuirks>& info) {
  return std::string(name_of(kLlmQuirksNames, info.param));
}

}  // namespace ba::llm
