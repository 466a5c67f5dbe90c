// SPDX-License-Identifier: Apache-2.0
// The real client over a scripted transport and over real sockets, the screen around it, and the
// model that the engine's tests use.
#include <limits>

#include "tests/contract/model_client/model_client_contract.hpp"
#include "tests/contract/model_client/simulated_model_rig.hpp"
#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "tests/support/two_step_model.hpp"
#include "tests/worker/http/fake_http.hpp"
#include "tests/worker/llm/llm_messages.hpp"
#include "worker/http/curl_http_client.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/runtime/secret_screen.hpp"

namespace ba {
namespace {

constexpr const char* kAnswer =
    R"({"id":"msg_1","model":"claude-x","content":[{"type":"text","text":"Hello"}],)"
    R"("stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":1}})";

llm::LlmConfig one_model(const std::string& url) {
  llm::LlmConfig config;
  llm::ProviderConfig provider;
  provider.name = "p";
  provider.base_url = url;
  provider.streaming = false;
  config.providers.push_back(provider);
  llm::ModelConfig model;
  model.name = "m";
  model.provider = "p";
  model.model_id = "claude-x";
  config.models.push_back(model);
  config.default_model = "m";
  config.retry.initial_delay = Milliseconds(1);
  config.retry.max_delay = Milliseconds(2);
  return config;
}

class VirtualRig : public ModelClientRig {
 public:
  const ModelRequest& request() override { return request_.get(); }
  bool run_until(const std::function<bool()>& reached) override {
    while (!reached())
      if (!time_.run_one()) return false;
    return true;
  }
  void settle() override { time_.run(); }

 protected:
  VirtualExecutor time_;
  llm::TestRequest request_ = llm::TestRequest().human("q");
};

class LlmRig : public VirtualRig {
 public:
  LlmRig() : inner_(std::move(*llm::make_llm_client(one_model("https://x"), ports()))) {
    answer(false);
  }

  ModelClient& client() override { return *inner_; }
  void lose_replies(bool lose) override { answer(lose); }
  int paid() const override { return static_cast<int>(http_.posts.size()); }

 private:
  static constexpr int kMany = 100;

  llm::LlmPorts ports() { return {time_, time_, random_, http_}; }
  void answer(bool lose) {
    http::FakeAnswer cut{200, R"({"id":"msg_1",)", {}, Error{}};
    cut.error->code = ErrorCode::Unavailable;
    cut.error->retry = Retry::Later;
    http_.answers.assign(kMany, lose ? cut : http::FakeAnswer{200, kAnswer});
  }

  FixedRandom random_;
  http::FakeHttp http_{time_};
  std::unique_ptr<ModelClient> inner_;
};

class ScreenedRig final : public LlmRig {
 public:
  ModelClient& client() override { return *screened_; }

 private:
  const Redaction secrets_{{"a-secret"}};
  std::unique_ptr<ModelClient> screened_ = runtime::screened(LlmRig::client(), secrets_);
};

class TwoStepRig final : public VirtualRig {
 public:
  ModelClient& client() override { return model_; }
  void lose_replies(bool lose) override {
    model_.losses = lose ? std::numeric_limits<int>::max() : 0;
  }
  int paid() const override { return model_.asked; }

 private:
  TwoStepModel model_{time_};
};

class HttpRig final : public ModelClientRig {
 public:
  HttpRig() {
    stub_.on_request = [this](HttpStubConnection& connection, const HttpStub::Request&) {
      if (!lose_) return connection.answer(200, kAnswer);
      connection.send(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n"
          "\r\n{\"id\":\"msg_1\",");
      connection.close();
    };
  }

  ModelClient& client() override { return *client_; }
  const ModelRequest& request() override { return request_.get(); }
  void lose_replies(bool lose) override { lose_ = lose; }
  int paid() const override { return static_cast<int>(stub_.requests.size()); }
  bool run_until(const std::function<bool()>& reached) override { return loop_.run_until(reached); }

  /// Lets what was sent or closed reach the other side: a real server has no virtual time to run.
  void settle() override {
    bool over = false;
    const auto timer = loop_.after(Milliseconds(100), [&] { over = true; });
    EXPECT_TRUE(loop_.run_until([&] { return over; }));
  }

 private:
  AsioLoop loop_;
  FixedRandom random_;
  HttpStub stub_{loop_.io};
  bool lose_ = false;
  llm::TestRequest request_ = llm::TestRequest().human("q");
  std::unique_ptr<http::HttpClient> http_ = http::make_curl_http_client(loop_.io);
  std::unique_ptr<ModelClient> client_ =
      std::move(*llm::make_llm_client(one_model(stub_.url()), {loop_, loop_, random_, *http_}));
};

template <typename Rig>
std::unique_ptr<ModelClientRig> make() {
  return std::make_unique<Rig>();
}

INSTANTIATE_TEST_SUITE_P(All, ModelClientContract,
                         testing::Values(ModelClientKind{"Llm", make<LlmRig>},
                                         ModelClientKind{"LlmOverHttp", make<HttpRig>},
                                         ModelClientKind{"Screened", make<ScreenedRig>},
                                         ModelClientKind{"TwoStep", make<TwoStepRig>},
                                         ModelClientKind{"Simulated", make_simulated_model_rig}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ba
