// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/hostile_services.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "worker/http/curl_http_client.hpp"

namespace ba {

using Json = nlohmann::ordered_json;

HostileServices::HostileServices(AsioLoop& loop)
    : stub_(loop.io), http_(http::make_curl_http_client(loop.io)) {
  stub_.on_request = [this](HttpStubConnection& connection, const HttpStub::Request& request) {
    answer(connection, request);
  };
}

search::WebSearchConfig HostileServices::web_search() const {
  search::WebSearchConfig config = search::search_defaults(search::SearchPreset::Searxng);
  config.base_url = stub_.url();
  return config;
}

vector::VectorSearchConfig HostileServices::vector_search(const std::string& source) const {
  vector::VectorSearchConfig config;
  config.base_url = stub_.url();
  config.model = "words";
  config.dimensions = 3;
  vector::VectorIndexConfig& index = config.indexes.emplace_back();
  index.name = "passages";
  index.data_source = source;
  index.table = "ba_passages";
  index.tenant_column = "tenant";
  return config;
}

void HostileServices::find(std::vector<std::string> texts) { texts_ = std::move(texts); }

void HostileServices::answer(HttpStubConnection& connection, const HttpStub::Request& request) {
  const std::string asked = request.head + request.body;
  if (asked.find("unlisted") != asked.npos || asked.find("canary-of") != asked.npos)
    forbidden_ += "request " + asked + "\n";
  if (request.head.find("/embeddings") != request.head.npos)
    connection.answer(200, R"({"data":[{"index":0,"embedding":[1,0,0]}],"model":"words"})");
  else
    connection.answer(200, results());
}

std::string HostileServices::results() {
  Json results = Json::array();
  for (int i = 0; i < 2 && !texts_.empty(); ++i)
    results.push_back({{"title", "Letter"},
                       {"url", "http://127.0.0.1/letter"},
                       {"content", texts_[next_++ % texts_.size()]}});
  return Json{{"results", results}}.dump();
}

}  // namespace ba
