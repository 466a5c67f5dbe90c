// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_search.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/tools/http_service/service_exchange.hpp"
#include "worker/tools/sql/write_answer.hpp"
#include "worker/tools/vector/embedding.hpp"
#include "worker/tools/vector/vector_session.hpp"

namespace ba::vector {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kQueryCharsMax = 8000;
constexpr int kResultsUsual = 10;

int results_max_of(const VectorSearchConfig& config) {
  int most = config.indexes.empty() ? static_cast<int>(vector_bounds::kResultsMax.most) : 1;
  for (const VectorIndexConfig& index : config.indexes) most = std::max(most, index.results_max);
  return most;
}

std::string schema_for(const VectorSearchConfig& config) {
  Json names = Json::array();
  for (const VectorIndexConfig& index : config.indexes) names.push_back(index.name);
  Json index = {{"type", "string"}, {"description", "Which index."}};
  Json required = {"query"};
  if (!names.empty()) index["enum"] = names;
  if (names.size() == 1) index["default"] = names[0];
  if (names.size() > 1) required.push_back("index");
  Json properties = {
      {"query", tools::text_property(kQueryCharsMax,
                                     "What the texts should be about, in plain words.", "text")},
      {"index", index},
      {"limit",
       {{"type", "integer"},
        {"minimum", 1},
        {"maximum", results_max_of(config)},
        {"description", "At most this many results; 10 where nothing is said."}}},
      {"min_score",
       {{"type", "number"}, {"description", "Leave out results with a lower score."}}}};
  return tools::call_schema(std::move(properties), std::move(required));
}

constexpr EnumNames<VectorDistance, 3> kScores{{{VectorDistance::Cosine, "cosine, -1 to 1"},
                                                {VectorDistance::L2, "1 / (1 + distance), 0 to 1"},
                                                {VectorDistance::InnerProduct, "inner product"}}};

constexpr const char* kDescription =
    "Finds the stored texts that are nearest in meaning to a query. Returns results with id, "
    "score (greater is nearer), text and metadata, the nearest first.";

SourceText text_of(const VectorIndexConfig& index) {
  std::string text = "Index " + index.name + " (at most " + std::to_string(index.results_max) +
                     " results; score: " + std::string(name_of(kScores, index.distance)) + ")";
  if (!index.description.empty()) text += ": " + index.description;
  return {index.name, std::move(text)};
}

ToolError invalid(std::string message) {
  return {ToolErrorType::InvalidParameters, "INVALID_PARAMETERS", std::move(message)};
}

/// One search under way: the embedding of its query by HTTP, then the rows of the data source,
/// which go when the run does. The configuration and the executor outlive it.
class VectorExchange final : public http_service::ServiceExchange {
 public:
  VectorExchange(const VectorSearchConfig& config, Executor& executor,
                 std::function<void(RawToolResult)> done)
      : http_service::ServiceExchange(kEmbeddingService, config.response_bytes_max, executor,
                                      std::move(done)),
        config_(config) {}

  /// `order` lacks its embedding still. The endpoint and the source outlive the exchange.
  void start(http::HttpEndpoint& endpoint, VectorSource& source, const std::string& query,
             VectorOrder order, Milliseconds timeout) {
    source_ = &source;
    order_ = std::move(order);
    timeout_ = timeout;
    ask(endpoint, embedding_request(config_, query), timeout);
  }

 private:
  void answered(std::string body) override {
    auto embedding = embedding_answer(body, config_.dimensions);
    if (!embedding)
      return finish(
          http_service::service_answer_invalid(kEmbeddingService, embedding.error().message));
    order_.embedding = std::move(*embedding);
    rows_ =
        source_->search(std::move(order_), timeout_, [weak = weak_from_this()](RawToolResult rows) {
          if (const auto self = weak.lock())
            static_cast<VectorExchange&>(*self).finish(std::move(rows));
        });
  }
  void stop_work() override { rows_.reset(); }

  const VectorSearchConfig& config_;
  VectorSource* source_ = nullptr;
  VectorOrder order_;
  Milliseconds timeout_{0};
  std::unique_ptr<ToolRun> rows_;
};

std::string version_of(const VectorSearchConfig& config,
                       const std::vector<sql::DataSourceConfig>& sources) {
  std::vector<std::string> asked{config.base_url, config.model, std::to_string(config.dimensions)};
  for (const VectorIndexConfig& index : config.indexes) {
    const auto source = std::ranges::find(sources, index.data_source, &sql::DataSourceConfig::name);
    const bool known = source != sources.end();
    asked.push_back(known ? sql::PgConnection::named_by(source->url) : index.data_source);
    for (const std::string* text : {&index.name, &index.table, &index.id_column, &index.text_column,
                                    &index.embedding_column, &index.tenant_column})
      asked.push_back(*text);
    asked.insert(asked.end(), index.metadata_columns.begin(), index.metadata_columns.end());
    asked.push_back(std::to_string(static_cast<int>(index.distance)));
    asked.push_back(std::to_string(index.text_chars_max));
  }
  return configured_version("2.0.0", asked);
}

}  // namespace

VectorSearch::VectorSearch(VectorSearchConfig config,
                           const std::vector<sql::DataSourceConfig>& sources,
                           std::unique_ptr<http::HttpEndpoint> endpoint, Executor& executor)
    : config_(std::move(config)), executor_(executor), endpoint_(std::move(endpoint)) {
  descriptor_.name = "vector_search";
  descriptor_.version = version_of(config_, sources);
  descriptor_.description = kDescription;
  for (const VectorIndexConfig& index : config_.indexes)
    descriptor_.sources.push_back(text_of(index));
  descriptor_.parameters_schema = schema_for(config_);
  descriptor_.effect = EffectClass::Pure;
  descriptor_.may_be_cached = true;
  descriptor_.reader = true;
  descriptor_.cache_policy = CachePolicy::TtlShort;
  descriptor_.source_parameter = "index";
  descriptor_.timeout = config_.timeout;
  if (!endpoint_) return;
  for (const sql::DataSourceConfig& source : sources)
    if (std::ranges::find(config_.indexes, source.name, &VectorIndexConfig::data_source) !=
        config_.indexes.end())
      sources_.push_back(std::make_unique<VectorSource>(source, executor));
}

VectorSearch::~VectorSearch() = default;

const VectorIndexConfig* VectorSearch::index(const std::string& name) const {
  const auto found = std::ranges::find(config_.indexes, name, &VectorIndexConfig::name);
  return found == config_.indexes.end() ? nullptr : &*found;
}

VectorSource& VectorSearch::source(const std::string& name) const {
  const auto found = std::ranges::find(sources_, name, [](const auto& one) { return one->name(); });
  BA_ASSERT(found != sources_.end());
  return **found;
}

std::optional<ToolError> VectorSearch::refusal(const std::string& parameters) const {
  const Json read = parse_exact_known<Json>(parameters);
  if (read.at("query").get<std::string>().find_first_not_of(" \t\r\n") == std::string::npos)
    return invalid("query is blank: say what the texts should be about");
  const VectorIndexConfig* wanted = index(read.value("index", ""));
  const int limit = read.value("limit", 1);
  if (wanted != nullptr && limit > wanted->results_max)
    return invalid("limit: " + std::to_string(limit) + " is not between 1 and " +
                   std::to_string(wanted->results_max) + ", which index '" + wanted->name +
                   "' gives at most");
  return std::nullopt;
}

std::unique_ptr<ToolRun> VectorSearch::run(ToolInvocation invocation,
                                           std::function<void(RawToolResult)> done) {
  BA_ASSERT(endpoint_ != nullptr);
  auto exchange = std::make_shared<VectorExchange>(config_, executor_, std::move(done));
  auto error = refusal(invocation.parameters);
  const auto arguments = arguments_of(invocation);
  const Json& parameters = *arguments;  // checked against the schema
  const VectorIndexConfig* wanted = index(parameters.value("index", ""));
  BA_ASSERT(wanted != nullptr);
  if (!error && !wanted->tenant_column.empty() && invocation.tenant.value.empty())
    error = ToolError{ToolErrorType::PermissionDenied, "TENANT_MISSING",
                      "The index '" + wanted->name +
                          "' has rows of single tenants, and this call has no tenant: submit the "
                          "job with one (ba-agent tool run: --tenant)"};
  if (error) {
    exchange->answer_soon(tools::failed_with(std::move(*error)));
    return std::make_unique<http_service::ServiceRun>(std::move(exchange));
  }
  VectorOrder order;
  order.index = *wanted;
  order.tenant = invocation.tenant.value;
  order.results_max = parameters.value("limit", std::min(kResultsUsual, wanted->results_max));
  if (parameters.contains("min_score"))
    order.min_score = nearest_double(parameters.at("min_score"));
  exchange->start(*endpoint_, source(wanted->data_source),
                  parameters.at("query").get<std::string>(), std::move(order), invocation.timeout);
  return std::make_unique<http_service::ServiceRun>(std::move(exchange));
}

}  // namespace ba::vector
