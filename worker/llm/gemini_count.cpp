// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pipeline/base/lower_case.hpp"
#include "pipeline/text/message/job_time.hpp"
#include "pipeline/text/semantic/normal_url.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/count_form.hpp"
#include "worker/llm/known_servers.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

constexpr const char* kGoogleKey = "x-goog-api-key";
constexpr std::string_view kModels = "models/";
constexpr std::string_view kPublisher = "google/";  // before a model's name, at Vertex AI

std::string_view bare(std::string_view model_id) {
  if (model_id.starts_with(kModels)) model_id.remove_prefix(kModels.size());
  if (model_id.starts_with(kPublisher)) model_id.remove_prefix(kPublisher.size());
  return model_id;
}

bool take_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

void append_text_part(std::string& out, std::string_view text) {
  write_json(out, R"({"text":)", Quoted{text}, '}');
}

/// Writes `contents`; parts of one role that follow each other share one.
class ContentWriter {
 public:
  explicit ContentWriter(std::string& out) : out_(out) {}

  void write(const std::vector<const Message*>& messages) {
    out_ += R"("contents":[)";
    for (const Message* message : messages)
      std::visit([this](const auto& one) { add(one); }, *message);
    if (!role_.empty()) out_ += "]}";
    out_ += ']';
  }

 private:
  void add(const SystemMessage& message) { add_text("user", message.text); }
  void add(const HumanMessage& message) { add_text("user", text_for_model(message)); }

  void add(const AiMessage& message) {
    add_text("model", message.text);
    for (const ToolCall& call : message.tool_calls) {
      begin("model");
      write_json(out_, R"({"functionCall":{"name":)", Quoted{wire_tool_name(call.name)},
                 R"(,"args":)" + call.args_json + "}}");
    }
  }

  void add(const ToolMessage& message) {
    begin("user");
    write_json(out_, R"({"functionResponse":{"name":)", Quoted{wire_tool_name(message.tool_name)},
               R"(,"response":{"content":)", Quoted{message.content}, "}}}");
  }

  void add_text(std::string_view role, std::string_view text) {
    if (text.empty()) return;
    begin(role);
    append_text_part(out_, text);
  }

  void begin(std::string_view role) {
    if (role == role_) {
      out_ += ',';
      return;
    }
    if (!role_.empty()) out_ += "]},";
    role_ = role;
    write_json(out_, R"({"role":")", role, R"(","parts":[)");
  }

  std::string& out_;
  std::string_view role_;
};

void write_tools(std::string& out, const std::vector<ToolSpec>& tools) {
  if (tools.empty()) return;
  out += R"("tools":[{"functionDeclarations":[)";
  for (const ToolSpec& tool : tools) {
    if (&tool != &tools.front()) out += ',';
    write_json(out, R"({"name":)", Quoted{tool.name}, R"(,"description":)",
               Quoted{tool.description});
    if (!tool.parameters_schema.empty())
      out += R"(,"parametersJsonSchema":)" + tool.parameters_schema;
    out += '}';
  }
  out += "]}],";
}

std::string count_url(std::string_view base_url, std::string_view model_id) {
  while (base_url.ends_with('/')) base_url.remove_suffix(1);
  std::string path = "/models/" + percent_encoded(bare(model_id)) + ":countTokens";
  if (is_vertex(base_url)) {
    take_end(base_url, "/endpoints/openapi");
    return http::api_url(base_url, "/publishers/google" + path);
  }
  take_end(base_url, "/openai");
  return http::api_url(base_url, path);
}

std::string question(const ModelRequest& request, std::string_view model_id, bool vertex) {
  std::string out = "{";
  if (!vertex)
    write_json(out, R"("generateContentRequest":{"model":)",
               Quoted{std::string(kModels) + std::string(bare(model_id))}, ',');
  if (!request.system.empty()) {
    out += R"("systemInstruction":{"parts":[)";
    append_text_part(out, request.system);
    out += "]},";
  }
  write_tools(out, request.tools);
  ContentWriter(out).write(request.messages);
  return out + (vertex ? "}" : "}}");
}

class GeminiCountForm final : public CountForm {
 public:
  std::string_view name() const override { return "gemini"; }
  std::string_view url_end() const override { return ":countTokens"; }

  std::string url(const ProviderConfig& provider, const ModelConfig& model) const override {
    return count_url(provider.base_url, model.model_id);
  }

  /// Its own API takes the key by another name than the one that is compatible with OpenAI's.
  http::HttpHeaders headers(const ProviderConfig& provider, std::string_view url) const override {
    http::HttpHeaders headers = request_headers(provider);
    if (is_vertex(url) || provider.api_key.empty()) return headers;
    std::erase_if(headers, [](const auto& one) {
      const std::string name = lower_case(one.first);
      return name == "authorization" || name == kGoogleKey;
    });
    headers.emplace_back(kGoogleKey, provider.api_key);
    return headers;
  }

  std::string text_question(const std::string& /*model_id*/, std::string_view text) const override {
    std::string out = R"({"contents":[{"role":"user","parts":[)";
    append_text_part(out, text);
    return out + "]}]}";
  }

  Result<std::string> request_question(const ModelRequest& request, const ProtocolContext& context,
                                       std::string_view url) const override {
    if (auto valid = check_history(request); !valid) return valid.error();
    return question(request, context.model.model_id, is_vertex(url));
  }
};

}  // namespace

const CountForm& gemini_count() {
  static const GeminiCountForm form;
  return form;
}

}  // namespace ba::llm
