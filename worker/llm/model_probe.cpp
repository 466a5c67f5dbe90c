// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/model_probe.hpp"

#include <algorithm>
#include <charconv>

#include "pipeline/text/message/json_view.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/server_question.hpp"

namespace ba::llm {
namespace {

/// Without num_ctx, unless OLLAMA_CONTEXT_LENGTH or a large graphics card make it more.
constexpr std::int64_t kOllamaDefault = 4096;

/// The value of "num_ctx" in a Modelfile's parameters: one a line, name and value.
std::optional<std::int64_t> num_ctx_of(std::string_view parameters) {
  constexpr std::string_view kName = "num_ctx";
  while (!parameters.empty()) {
    const std::string_view line = parameters.substr(0, parameters.find('\n'));
    parameters.remove_prefix(std::min(parameters.size(), line.size() + 1));
    const std::size_t digit = line.find_first_of("0123456789");
    if (!line.starts_with(kName) || digit == line.npos) continue;
    std::int64_t value = 0;
    const auto read = std::from_chars(line.data() + digit, line.data() + line.size(), value);
    if (read.ec == std::errc()) return value;
  }
  return std::nullopt;
}

/// llama.cpp's /props: of one slot, which is what one conversation gets.
std::optional<ServedContext> context_of_props(JsonView props) {
  const auto tokens = props["default_generation_settings"]["n_ctx"].integer();
  if (!tokens || *tokens <= 0) return std::nullopt;
  return ServedContext{*tokens, "/props"};
}

/// Ollama's name "x:latest" of a model that may be called "x", too.
bool same_ollama_model(std::string_view listed, std::string_view model_id) {
  if (listed == model_id) return true;
  return listed.starts_with(model_id) && listed.substr(model_id.size()) == ":latest";
}

/// Ollama's /api/ps: of a model that is loaded now.
std::optional<ServedContext> context_of_loaded(JsonView ps, std::string_view model_id) {
  std::optional<ServedContext> found;
  ps["models"].for_each_element([&](JsonView model) {
    const auto tokens = model["context_length"].integer();
    if (!tokens || *tokens <= 0 || !same_ollama_model(model["name"].text(), model_id)) return;
    found = ServedContext{*tokens, "/api/ps"};
  });
  return found;
}

/// Ollama's /api/show of one model: num_ctx of its Modelfile, else what Ollama takes by itself.
ServedContext context_of_show(JsonView show) {
  if (const auto tokens = num_ctx_of(show["parameters"].text()))
    return {*tokens, "num_ctx in /api/show"};
  ServedContext context{kOllamaDefault, "Ollama's default, no num_ctx in /api/show"};
  show["model_info"].for_each_member([&](std::string_view key, JsonView value) {
    const std::int64_t trained = value.integer().value_or(0);
    if (!key.ends_with(".context_length") || trained <= 0 || trained >= context.tokens) return;
    context = {trained, "context_length in /api/show"};
  });
  return context;
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
    const std::string url = http::server_url(provider_.base_url, path);
    auto body = ask_server(provider_, url, sent, timeout_);
    if (!body) return body.error();
    body_ = std::move(*body);
    auto json = JsonView::parse(body_);
    if (!json) return make_error(ErrorCode::Protocol, url + " answered no JSON");
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
  const auto show = server.ask("/api/show", R"({"model":)" + json_string(model_id) + "}");
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
    return make_error(ErrorCode::NotFound,
                      url + " answered HTTP " + std::to_string(answer->status));
  return {};
}

Result<ModelProbe> probe_models(const ProviderConfig& provider, Milliseconds timeout) {
  const auto body = ask_server(provider, http::api_url(provider.base_url, "/models"), "", timeout);
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

}  // namespace ba::llm
