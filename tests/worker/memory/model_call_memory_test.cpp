// SPDX-License-Identifier: Apache-2.0
// What a call of a model takes beside its body, without the HTTP request.
#include <gtest/gtest.h>

#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"
#include "tests/worker/llm/llm_messages.hpp"
#include "tests/worker/memory/memory_kinds.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {
namespace {

/// Nothing is ever answered. Holds the bodies, and knows their size.
class SilentHttp final : public http::HttpClient {
 public:
  Result<std::unique_ptr<http::HttpEndpoint>> open(http::HttpEndpointConfig) override {
    return std::unique_ptr<http::HttpEndpoint>(std::make_unique<Endpoint>(*this));
  }
  std::int64_t body_bytes = 0;

 private:
  struct Call final : http::HttpCall {};
  struct Endpoint final : http::HttpEndpoint {
    explicit Endpoint(SilentHttp& client) : http(client) {}
    std::unique_ptr<http::HttpCall> post(http::HttpPost request, http::HttpReceiver&) override {
      http.body_bytes += std::ssize(*request.body);
      return std::make_unique<Call>();
    }
    SilentHttp& http;
  };
};

class ModelCallMemory : public testing::TestWithParam<std::string> {
 protected:
  ModelCallMemory() {
    ProviderConfig provider;
    provider.name = "p";
    provider.protocol = find_protocol(GetParam());
    provider.base_url = "https://x";
    provider.api_key = Secret("sk-secret-key");
    config_.providers.push_back(provider);
    ModelConfig model;
    model.name = "m";
    model.provider = "p";
    model.model_id = "x";
    config_.models.push_back(model);
    config_.default_model = "m";
    request_.human("How many flights left New York late?");
    request_.fields().tools = usual_tools();
    request_.fields().model = "m";
  }

  VirtualExecutor time_;
  FixedRandom random_;
  SilentHttp http_;
  LlmConfig config_;
  TestRequest request_;
};

INSTANTIATE_TEST_SUITE_P(Of, ModelCallMemory,
                         testing::Values("anthropic", "openai_chat", "openai_responses"),
                         [](const auto& protocol) { return protocol.param; });

TEST_P(ModelCallMemory, IsAKilobyteBesideItsBody) {
  const auto client = make_llm_client(config_, {time_, time_, random_, http_});
  ASSERT_TRUE(client) << client.error().message;
  std::vector<std::unique_ptr<ModelCall>> calls;
  calls.reserve(kMany + 1);
  const auto ask = [&](int number) {
    request_.fields().affinity = static_cast<std::uint64_t>(number);
    ModelListener listener;
    listener.lost = [] {};
    listener.done = [](const ModelOutcome&) {};
    calls.push_back((*client)->ask(request_.get(), std::move(listener)));
  };
  ask(0);  // what the client learns from its first call stays
  http_.body_bytes = 0;
  const std::int64_t before = live_bytes();
  for (int i = 1; i <= kMany; ++i) ask(i);
  const std::int64_t all = live_bytes() - before;
  const std::string kind = "model_call_" + GetParam();
  EXPECT_LE(tell_bytes(kind.c_str(), all - http_.body_bytes, kMany), 2 << 10);
}

}  // namespace
}  // namespace ba::llm
