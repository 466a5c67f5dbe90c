// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_client.hpp"

#include <map>

#include "worker/llm/llm_call.hpp"

namespace ba::llm {
namespace {

/// A call that can't be made: says so soon.
class RefusedCall final : public ModelCall {
 public:
  RefusedCall(Executor& executor, Error error, ModelListener listener)
      : timer_(executor.after(
            Milliseconds(0), [error = std::move(error), done = std::move(listener.done)] {
              const auto answer = done;  // which may destroy the call, its timer and this closure
              answer(ModelFailure{error, 0, 0});
            })) {}

  void go_on() override {}
  bool request_out() const override { return false; }

 private:
  std::unique_ptr<Timer> timer_;
};

class LlmClient final : public ModelClient {
 public:
  LlmClient(LlmConfig config, LlmPorts ports) : config_(std::move(config)), ports_(ports) {}

  Result<void> open() {
    for (const ProviderConfig& provider : config_.providers) {
      auto opened = LlmProvider::open(provider, config_.limits, ports_.http);
      if (!opened) return opened.error();
      providers_[provider.name] = std::move(*opened);
    }
    return {};
  }

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, ModelListener listener) override {
    const ModelConfig* model = config_.model(request.model);
    if (model == nullptr)
      return std::make_unique<RefusedCall>(ports_.executor, unknown_model(request.model),
                                           std::move(listener));
    LlmProvider& provider = *providers_.at(model->provider);
    auto call = std::make_unique<LlmCall>(LlmCallContext{provider, *model, config_, ports_},
                                          request, std::move(listener));
    ProtocolContext context{provider.config(), *model, config_.limits};
    context.loose_thoughts =
        provider.thinking().loose(request, provider.protocol().thinking_rules(*model));
    context.known_refusal = provider.known_refusal(model->name);
    call->start(write_request(request, context, kept_));
    return call;
  }

 private:
  Error unknown_model(const std::string& name) const {
    std::string names;
    for (const ModelConfig& model : config_.models)
      names += (names.empty() ? "" : ", ") + model.name;
    if (name.empty())
      return invalid_argument("no model is named and llm.default_model is not set; there are: " +
                              names);
    return invalid_argument("model '" + name + "' is not configured; llm.models has: " + names);
  }

  const LlmConfig config_;
  LlmPorts ports_;
  std::map<std::string, std::unique_ptr<LlmProvider>> providers_;  ///< by name
  const std::shared_ptr<KeptBytes> kept_ = std::make_shared<KeptBytes>(kKeptBytesMax);
};

}  // namespace

Result<std::unique_ptr<ModelClient>> make_llm_client(LlmConfig config, LlmPorts ports) {
  if (auto valid = first_of(validate(config)); !valid) return valid.error();
  auto client = std::make_unique<LlmClient>(std::move(config), ports);
  if (auto opened = client->open(); !opened) return opened.error();
  return std::unique_ptr<ModelClient>(std::move(client));
}

}  // namespace ba::llm
