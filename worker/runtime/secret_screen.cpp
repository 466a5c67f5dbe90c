// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/secret_screen.hpp"

#include <exception>
#include <stdexcept>
#include <utility>

namespace ba::runtime {
namespace {

void screen(const Redaction& secrets, std::string& text) {
  if (auto cleaned = secrets.without_known(text)) text = std::move(*cleaned);
}

void screen(const Redaction& secrets, ToolCall& call) {
  for (std::string* text :
       {&call.id.value, &call.name, &call.args_json, &call.invalid_args, &call.args_error})
    screen(secrets, *text);
}

void screen(const Redaction& secrets, ModelReply& reply) {
  AiMessage& message = reply.message;
  screen(secrets, message.text);
  screen(secrets, message.thinking);
  for (ToolCall& call : message.tool_calls) screen(secrets, call);
  // The provider takes its own form back unaltered or not at all.
  if (message.extra && secrets.without_known(message.extra->json)) message.extra.reset();
  for (std::string* text : {&reply.raw_stop, &reply.model, &reply.provider_request_id})
    screen(secrets, *text);
}

void screen(const Redaction& secrets, ModelFailure& failure) {
  screen(secrets, failure.error.message);
  screen(secrets, failure.error.detail);
}

void screen(const Redaction& secrets, RawToolResult& result) {
  screen(secrets, result.data);
  if (result.chunked) screen(secrets, result.chunked->beginning);
  screen(secrets, result.error_context);
  if (!result.error) return;
  screen(secrets, result.error->code);
  screen(secrets, result.error->message);
}

class ScreenedModels final : public ModelClient {
 public:
  ScreenedModels(ModelClient& inner, const Redaction& secrets) : inner_(inner), secrets_(secrets) {}

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, ModelListener listener) override {
    listener.done = [&secrets = secrets_, done = std::move(listener.done)](ModelOutcome outcome) {
      std::visit([&](auto& answer) { screen(secrets, answer); }, outcome);
      done(std::move(outcome));
    };
    return inner_.ask(request, std::move(listener));
  }

 private:
  ModelClient& inner_;
  const Redaction& secrets_;
};

/// What a tool puts away while it runs.
class ScreenedChunks final : public ChunkSink {
 public:
  ScreenedChunks(std::shared_ptr<ChunkSink> inner, const Redaction& secrets)
      : inner_(std::move(inner)), secrets_(secrets) {}

  std::int64_t bytes_max() const override { return inner_->bytes_max(); }
  void clean(std::string& item) const override {
    inner_->clean(item);
    screen(secrets_, item);
  }
  void put(DataChunk chunk, Completion<std::string> done) override {
    inner_->put(std::move(chunk), std::move(done));
  }

 private:
  const std::shared_ptr<ChunkSink> inner_;
  const Redaction& secrets_;
};

class ScreenedTool final : public Tool, public StatusSource {
 public:
  ScreenedTool(std::unique_ptr<Tool> inner, const Redaction& secrets)
      : inner_(std::move(inner)), secrets_(secrets) {}

  const ToolDescriptor& descriptor() const override { return inner_->descriptor(); }

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override {
    if (invocation.chunks)
      invocation.chunks = std::make_shared<ScreenedChunks>(std::move(invocation.chunks), secrets_);
    return screening_what_is_thrown([&] {
      return inner_->run(std::move(invocation),
                         [&secrets = secrets_, done = std::move(done)](RawToolResult result) {
                           screen(secrets, result);
                           done(std::move(result));
                         });
    });
  }

  std::optional<ToolError> refusal(const std::string& parameters) const override {
    return inner_->refusal(parameters);
  }

  std::optional<ItemRange> artifact_range(const std::string& parameters) const override {
    return inner_->artifact_range(parameters);
  }

  StatusSource* status_source() override { return inner_->status_source() ? this : nullptr; }

  std::unique_ptr<ToolRun> status(ToolInvocation invocation,
                                  std::function<void(EffectStatus)> done) override {
    return screening_what_is_thrown([&] {
      return inner_->status_source()->status(
          std::move(invocation),
          [&secrets = secrets_, done = std::move(done)](EffectStatus status) {
            screen(secrets, status.result);
            done(std::move(status));
          });
    });
  }

 private:
  template <typename Start>
  std::unique_ptr<ToolRun> screening_what_is_thrown(Start start) {
    try {
      return start();
    } catch (const std::exception& error) {
      std::string words = error.what();
      screen(secrets_, words);
      throw std::runtime_error(words);
    }
  }

  const std::unique_ptr<Tool> inner_;
  const Redaction& secrets_;
};

}  // namespace

std::unique_ptr<ModelClient> screened(ModelClient& inner, const Redaction& secrets) {
  return std::make_unique<ScreenedModels>(inner, secrets);
}

std::unique_ptr<Tool> screened(std::unique_ptr<Tool> inner, const Redaction& secrets) {
  return std::make_unique<ScreenedTool>(std::move(inner), secrets);
}

}  // namespace ba::runtime
