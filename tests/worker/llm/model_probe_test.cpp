// SPDX-License-Identifier: Apache-2.0
// What doctor asks a model server, over real sockets.
#include "worker/llm/model_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {
namespace {

using ::testing::HasSubstr;

class ModelProbeTest : public ::testing::Test {
 protected:
  ModelProbeTest() {
    provider_.name = "p";
    provider_.protocol = &openai_chat_protocol();
    provider_.base_url = stub_.url() + "/v1";
    stub_.on_request = [this](HttpStubConnection& connection, const HttpStub::Request& request) {
      const auto answer = answers_.find(request.head.substr(0, request.head.find(" HTTP")));
      if (answer == answers_.end())
        connection.answer(404, R"({"error":"no such page"})");
      else
        connection.answer(status_, answer->second);
    };
  }

  Result<ModelProbe> models() {
    auto probe = loop_.serve_while([this] { return probe_models(provider_, kPatience); });
    EXPECT_TRUE(probe);
    return *probe;
  }

  /// Of model "m", after a list of models.
  Result<std::optional<ServedContext>> context(LlmQuirks quirks) {
    provider_.quirks = quirks;
    auto served = loop_.serve_while([this] {
      const auto list = probe_models(provider_, kPatience);
      return probe_context(provider_, "m", list ? *list : ModelProbe(), kPatience);
    });
    EXPECT_TRUE(served);
    return *served;
  }

  void expect_context(LlmQuirks quirks, std::int64_t tokens, const std::string& said_by) {
    const auto served = context(quirks);
    ASSERT_TRUE(served) << served.error().message;
    ASSERT_TRUE(*served);
    EXPECT_EQ((*served)->tokens, tokens);
    EXPECT_EQ((*served)->said_by, said_by);
  }

  static constexpr Milliseconds kPatience{10'000};

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  ProviderConfig provider_;
  int status_ = 200;
  std::map<std::string, std::string> answers_;  ///< by method and path
};

TEST_F(ModelProbeTest, SendsTheConfiguredHeadersAsACallDoes) {
  answers_["GET /v1/models"] = R"({"data":[{"id":"a"},{"id":"b"},{"object":"no id"}]})";
  provider_.api_key = Secret("key-1");
  provider_.headers["X-Team"] = Secret("analytics");
  provider_.headers["Authorization"] = Secret("Gateway key-2");
  const auto probe = models();
  ASSERT_TRUE(probe) << probe.error().message;
  ASSERT_EQ(probe->models.size(), 2U);
  EXPECT_EQ(probe->models[1].id, "b");
  const std::string& head = stub_.requests.at(0).head;
  EXPECT_THAT(head, HasSubstr("\r\nX-Team: analytics"));
  EXPECT_THAT(head, HasSubstr("\r\nauthorization: Gateway key-2\r\n"));
  EXPECT_EQ(head.find("key-1"), std::string::npos) << "the configured header wins";
}

TEST_F(ModelProbeTest, TellsARefusedKeyFromAMissingListAndFromNobody) {
  EXPECT_EQ(models().error().code, ErrorCode::Protocol);
  answers_["GET /v1/models"] = "{}";
  EXPECT_TRUE(models()->models.empty());
  answers_["GET /v1/models"] = "<html>";
  EXPECT_TRUE(models()->models.empty());
  status_ = 401;
  EXPECT_EQ(models().error().code, ErrorCode::Authentication);
  answers_["GET /v1/models"] = std::string((1 << 20) + 1, 'x');
  EXPECT_EQ(models().error().code, ErrorCode::Unavailable);
}

TEST_F(ModelProbeTest, SeesWhetherAnybodySpeaksTheProtocol) {
  const auto spoken = [this] {
    auto probe = loop_.serve_while([this] { return probe_protocol(provider_, kPatience); });
    EXPECT_TRUE(probe);
    return *probe;
  };
  provider_.protocol = &openai_responses_protocol();
  const auto nobody = spoken();
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, ErrorCode::NotFound);
  EXPECT_THAT(nobody.error().message, HasSubstr("/v1/responses answered HTTP 404"));
  EXPECT_EQ(stub_.requests.back().body, "{}");
  answers_["POST /v1/responses"] =
      R"({"error":{"message":"Missing required parameter: 'model'."}})";
  for (const int refusal : {400, 422, 500}) {
    status_ = refusal;
    EXPECT_TRUE(spoken()) << refusal;
  }
  status_ = 405;
  EXPECT_EQ(spoken().error().code, ErrorCode::NotFound);
  status_ = 401;
  EXPECT_EQ(spoken().error().code, ErrorCode::Authentication);
}

TEST_F(ModelProbeTest, FindsAModelAsItsServerWould) {
  const ModelProbe probe{{{"m:latest", {}}, {"n", {}}}};
  EXPECT_EQ(probe.find("m", LlmQuirks::Vllm), nullptr);
  ASSERT_NE(probe.find("m", LlmQuirks::Ollama), nullptr);
  EXPECT_EQ(probe.find("m:7b", LlmQuirks::Ollama), nullptr);
  EXPECT_EQ(probe.find("n", LlmQuirks::None)->id, "n");
}

TEST_F(ModelProbeTest, AsksNothingMoreOfAServerWithoutQuirks) {
  const auto served = context(LlmQuirks::None);
  ASSERT_TRUE(served);
  EXPECT_FALSE(*served);
  EXPECT_EQ(stub_.requests.size(), 1U);
}

TEST_F(ModelProbeTest, ReadsTheSlotOfLlamaCpp) {
  answers_["GET /props"] = R"({"default_generation_settings":{"n_ctx":4096},"total_slots":2})";
  provider_.headers["X-Team"] = Secret("analytics");
  expect_context(LlmQuirks::LlamaCpp, 4096, "/props");
  EXPECT_THAT(stub_.requests.back().head, HasSubstr("\r\nX-Team: analytics"));
  answers_["GET /props"] = R"({"default_generation_settings":{}})";
  EXPECT_FALSE(*context(LlmQuirks::LlamaCpp));
  answers_["GET /props"] = "no";
  EXPECT_THAT(context(LlmQuirks::LlamaCpp).error().message, HasSubstr("/props answered no JSON"));
  answers_.erase("GET /props");
  EXPECT_THAT(context(LlmQuirks::LlamaCpp).error().message, HasSubstr("/props answered HTTP 404"));
}

TEST_F(ModelProbeTest, ReadsTheListOfVllm) {
  answers_["GET /v1/models"] = R"({"data":[{"id":"m","max_model_len":8192},{"id":"n"}]})";
  expect_context(LlmQuirks::Vllm, 8192, "max_model_len in /v1/models");
  answers_["GET /v1/models"] = R"({"data":[{"id":"m"}]})";
  EXPECT_FALSE(*context(LlmQuirks::Vllm));
}

TEST_F(ModelProbeTest, ReadsTheModelfileOfOllama) {
  answers_["POST /api/show"] =
      R"({"parameters":"stop \"x\"\nnum_ctx                        16384\ntemperature 0.6",)"
      R"("model_info":{"qwen3.context_length":40960}})";
  expect_context(LlmQuirks::Ollama, 16384, "num_ctx in /api/show");
  EXPECT_EQ(stub_.requests.back().body, R"({"model":"m"})");
  answers_["GET /api/ps"] = R"({"models":[{"name":"m:latest","context_length":8192}]})";
  expect_context(LlmQuirks::Ollama, 8192, "/api/ps");
}

TEST_F(ModelProbeTest, KnowsWhatOllamaTakesByItself) {
  answers_["GET /api/ps"] = R"({"models":[{"name":"n","context_length":8192}]})";
  answers_["POST /api/show"] = R"({"model_info":{"qwen3.context_length":40960}})";
  expect_context(LlmQuirks::Ollama, 4096, "Ollama's default, no num_ctx in /api/show");
  answers_["POST /api/show"] = R"({"model_info":{"bert.context_length":512}})";
  expect_context(LlmQuirks::Ollama, 512, "context_length in /api/show");
  answers_.erase("POST /api/show");
  EXPECT_EQ(context(LlmQuirks::Ollama).error().code, ErrorCode::Protocol);
}

}  // namespace
}  // namespace ba::llm
