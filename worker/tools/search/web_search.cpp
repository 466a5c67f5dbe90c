// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/web_search.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/tools/http_service/service_exchange.hpp"
#include "worker/tools/search/search_request.hpp"

namespace ba::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kQueryCharsMax = 1000;
constexpr int kLanguageCharsMax = 35;  // RFC 5646, section 4.4.1
constexpr int kResultsMax = 50;
constexpr int kResultsUsual = 10;

/// What the API can't be told isn't offered; a tool that only describes itself shows everything.
std::string schema_for(const WebSearchConfig& config, bool describes) {
  Json properties = {{"query", tools::text_property(kQueryCharsMax, "What to search for.", "text")},
                     {"max_results",
                      {{"type", "integer"},
                       {"minimum", 1},
                       {"maximum", kResultsMax},
                       {"default", kResultsUsual},
                       {"description", "At most this many results."}}}};
  if (describes || !config.parameters.language.empty())
    properties["language"] = {{"type", "string"},
                              {"minLength", 1},
                              {"maxLength", kLanguageCharsMax},
                              {"pattern", "^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$"},
                              {"description", "Language of the results, such as en or pt-BR."}};
  if (describes || !config.parameters.time_range.empty())
    properties["time_range"] = {{"type", "string"},
                                {"enum", {"day", "week", "month", "year"}},
                                {"description", "Only what is not older than this."}};
  return tools::call_schema(std::move(properties), {"query"});
}

std::optional<std::string> text_of(const Json& parameters, const char* name) {
  if (!parameters.contains(name)) return std::nullopt;
  return parameters.at(name).get<std::string>();
}

/// One search under way. The configuration and the executor outlive it.
class SearchExchange final : public http_service::ServiceExchange {
 public:
  SearchExchange(const WebSearchConfig& config, Executor& executor,
                 std::function<void(RawToolResult)> done)
      : http_service::ServiceExchange(kSearchService, config.response_bytes_max, executor,
                                      std::move(done)),
        config_(config) {}

  void start(http::HttpEndpoint& endpoint, const SearchOrder& order, Milliseconds timeout) {
    results_max_ = order.results_max;
    ask(endpoint, search_request(config_, order), timeout);
  }

 private:
  void answered(std::string body) override {
    finish(search_answer(std::move(body), config_, results_max_));
  }

  const WebSearchConfig& config_;
  int results_max_ = 0;
};

/// What is sent with every request may be secret, so it isn't part of it.
std::string version_of(const WebSearchConfig& config) {
  const SearchPointers& at = config.pointers;
  const SearchParameters& says = config.parameters;
  std::vector<std::string> asked = {config.base_url, config.path,
                                    std::string(name_of(kSearchMethodNames, config.method))};
  asked.insert(asked.end(), {says.query, says.count, says.language, says.time_range});
  asked.insert(asked.end(), {at.results, at.title, at.url, at.snippet, at.published});
  asked.insert(asked.end(),
               {config.results_optional ? "optional" : "", std::to_string(config.title_chars_max),
                std::to_string(config.snippet_chars_max)});
  for (const auto& [ours, theirs] : says.time_range_values)
    asked.insert(asked.end(), {ours, theirs});
  return configured_version("2.0.0", asked);
}

}  // namespace

WebSearch::WebSearch(WebSearchConfig config, std::unique_ptr<http::HttpEndpoint> endpoint,
                     Executor& executor)
    : config_(std::move(config)), executor_(executor), endpoint_(std::move(endpoint)) {
  descriptor_.name = "web_search";
  descriptor_.version = version_of(config_);
  descriptor_.description =
      "Searches the web. Returns results with title, url and snippet, the most relevant first, and "
      "when each was published where that is known.";
  descriptor_.parameters_schema = schema_for(config_, !endpoint_);
  descriptor_.effect = EffectClass::Pure;
  descriptor_.may_be_cached = true;
  descriptor_.reader = true;
  descriptor_.cache_policy = CachePolicy::TtlShort;
  descriptor_.timeout = config_.timeout;
}

std::optional<ToolError> WebSearch::refusal(const std::string& parameters) const {
  const auto query = parse_exact_known<Json>(parameters).at("query").get<std::string>();
  if (query.find_first_not_of(" \t\r\n") != query.npos) return std::nullopt;
  return ToolError{ToolErrorType::InvalidParameters, "INVALID_PARAMETERS",
                   "query is blank: give the words to search for"};
}

std::unique_ptr<ToolRun> WebSearch::run(ToolInvocation invocation,
                                        std::function<void(RawToolResult)> done) {
  BA_ASSERT(endpoint_ != nullptr);
  auto exchange = std::make_shared<SearchExchange>(config_, executor_, std::move(done));
  if (auto error = refusal(invocation.parameters)) {
    exchange->answer_soon(tools::failed_with(std::move(*error)));
    return std::make_unique<http_service::ServiceRun>(std::move(exchange));
  }
  const auto arguments = arguments_of(invocation);
  const Json& parameters = *arguments;  // checked against the schema
  SearchOrder order;
  order.query = parameters.at("query").get<std::string>();
  order.results_max = parameters.value("max_results", kResultsUsual);
  order.language = text_of(parameters, "language");
  order.time_range = text_of(parameters, "time_range");
  exchange->start(*endpoint_, order, invocation.timeout);
  return std::make_unique<http_service::ServiceRun>(std::move(exchange));
}

}  // namespace ba::search
