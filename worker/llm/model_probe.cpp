// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/model_probe.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

#include "pipeline/message/json_text.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/url.hpp"

namespace ba {
namespace {

constexpr std::size_t kReplyBytesMax = 1 << 20;

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

std::size_t take(char* data, std::size_t size, std::size_t count, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + size * count > kReplyBytesMax) return 0;
  text.append(data, size * count);
  return size * count;
}

Error failed(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

/// "name;" sends an empty value, "name:" would leave the header out.
std::string header_line(const std::string& name, const Secret& value) {
  return value.empty() ? name + ";" : name + ": " + value.reveal();
}

struct Answer {
  long status = 0;
  std::string body;
};

/// POST where there is something to send.
Result<Answer> fetch(const ProviderConfig& provider, const std::string& url,
                     const std::string& sent, Milliseconds timeout) {
  const std::unique_ptr<CURL, FreeHandle> handle(curl_easy_init());
  if (!handle) return failed(ErrorCode::Internal, "libcurl can't start");
  std::unique_ptr<curl_slist, FreeList> headers;
  for (const auto& [name, value] : request_headers(provider))
    headers.reset(curl_slist_append(headers.release(), header_line(name, value).c_str()));
  Answer answer;
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_PROXY, provider.proxy.c_str());
  if (!provider.ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, provider.ca_file.c_str());
  if (!sent.empty()) curl_easy_setopt(curl, CURLOPT_POSTFIELDS, sent.c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK)
    return failed(ErrorCode::Unavailable, url + ": " + curl_easy_strerror(code));
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  if (answer.status == 401 || answer.status == 403)
    return failed(ErrorCode::Authentication,
                  url + " refuses the key: HTTP " + std::to_string(answer.status));
  return answer;
}

/// The body of a reply with status 200.
Result<std::string> ask(const ProviderConfig& provider, const std::string& url,
                        const std::string& sent, Milliseconds timeout) {
  auto answer = fetch(provider, url, sent, timeout);
  if (!answer) return answer.error();
  if (answer->status != 200)
    return failed(ErrorCode::Protocol, url + " answered HTTP " + std::to_string(answer->status));
  return std::move(answer->body);
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
    auto body = ba::ask(provider_, url, sent, timeout_);
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
  const std::string url = protocol_of(provider.protocol).url(provider);
  const auto answer = fetch(provider, url, "{}", timeout);
  if (!answer) return answer.error();
  if (is_nowhere(answer->status))
    return failed(ErrorCode::NotFound, url + " answered HTTP " + std::to_string(answer->status));
  return {};
}

Result<ModelProbe> probe_models(const ProviderConfig& provider, Milliseconds timeout) {
  const auto body = ask(provider, api_url(provider.base_url, "/models"), "", timeout);
  if (!body) return body.error();
  return ModelProbe{models_of(*body)};
}

Result<Context> probe_context(const ProviderConfig& provider, const std::string& model_id,
                              const ModelProbe& list, Milliseconds timeout) {
  Beside server(provider, timeout);
  switch (provider.quirks) {
    case LlmQuirks::None:
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
