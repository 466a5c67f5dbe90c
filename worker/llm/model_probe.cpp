// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/model_probe.hpp"

#include <algorithm>

#include "pipeline/text/message/json_text.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/server_question.hpp"

namespace ba {
namespace {

Error failed(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

bool is_nowhere(long status) { return status == 404 || status == 405 || status == 501; }

std::vector<ListedModel> models_of(const std::string& body) {
  std::vector<ListedModel> models;
  const auto json = JsonView::parse(body);
  if (!json) return models;
  (*json)["data"].for_each_element([&](JsonView model) {
    if (std::string id = model["id"].text(); !id.empty())
      models.push_back({std::move(id), model["max_model_len"].integer()});
  });
  return models;
}

/// One question for something that a server has beside its API.
class Beside {
 public:
  Beside(const ProviderConfig& provider, Milliseconds timeout)
      : provider_(provider), timeout_(timeout) {}

  /// Valid until the next question.
  Result<JsonView> ask(const std::string& path, const std::string& sent = "") {
    const std::string url = server_url(provider_.base_url, path);
    auto body = ask_server(provider_, url, sent, timeout_);
    if (!body) return body.error();
    body_ = std::move(*body);
    auto json = JsonView::parse(body_);
    if (!json) return failed(ErrorCode::Protocol, url + " answered no JSON");
    return json;
  }

 private:
  const ProviderConfig& provider_;
  Milliseconds timeout_;
  std::string body_;
};

using Context = std::optional<ServedContext>;

/// What is loaded says more than the Modelfile: OLLAMA_CONTEXT_LENGTH counts there.
Result<Context> ollama_context(Beside& server, const std::string& model_id) {
  if (const auto loaded = server.ask("/api/ps"))
    if (Context context = context_of_loaded(*loaded, model_id)) return context;
  std::string question = R"({"model":)";
  append_json_string(question, model_id);
  const auto show = server.ask("/api/show", question + "}");
  if (!show) return show.error();
  return Context(context_of_show(*show));
}

}  // namespace

const ListedModel* ModelProbe::find(std::string_view model_id, LlmQuirks quirks) const {
  const auto at = std::find_if(models.begin(), models.end(), [&](const ListedModel& model) {
    return quirks == LlmQuirks::Ollama ? same_ollama_model(model.id, model_id)
                                       : model.id == model_id;
  });
  return at == models.end() ? nullptr : &*at;
}

Result<void> probe_protocol(const ProviderConfig& provider, Milliseconds timeout) {
  const std::string url = provider.protocol->url(provider);
  const auto answer = fetch_from_server(provider, url, "{}", timeout);
  if (!answer) return answer.error();
  if (is_nowhere(answer->status))
    return failed(ErrorCode::NotFound, url + " answered HTTP " + std::to_string(answer->status));
  return {};
}

Result<ModelProbe> probe_models(const ProviderConfig& provider, Milliseconds timeout) {
  const auto body = ask_server(provider, api_url(provider.base_url, "/models"), "", timeout);
  if (!body) return body.error();
  return ModelProbe{models_of(*body)};
}

Result<Context> probe_context(const ProviderConfig& provider, const std::string& model_id,
                              const ModelProbe& list, Milliseconds timeout) {
  Beside server(provider, timeout);
  switch (provider.quirks) {
    case LlmQuirks::None:
    case LlmQuirks::Mistral:
      break;
    case LlmQuirks::LlamaCpp: {
      const auto props = server.ask("/props");
      if (!props) return props.error();
      return context_of_props(*props);
    }
    case LlmQuirks::Vllm: {
      const ListedModel* model = list.find(model_id, provider.quirks);
      if (model == nullptr || !model->context) break;
      return Context(ServedContext{*model->context, "max_model_len in /v1/models"});
    }
    case LlmQuirks::Ollama:
      return ollama_context(server, model_id);
  }
  return Context();
}

}  // namespace ba
