#pragma once
// SPDX-License-Identifier: Apache-2.0
// The services that the searches ask: every text has the same vector, every search finds the next
// letters. They note what they must not be asked.

#include <memory>
#include <string>
#include <vector>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/http/http_client.hpp"
#include "worker/tools/search/web_search_config.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba {

class HostileServices {
 public:
  static constexpr const char* kVector = "{1,0,0}";  ///< of every text, for a row

  explicit HostileServices(AsioLoop& loop);

  http::HttpClient* http() { return http_.get(); }
  search::WebSearchConfig web_search() const;
  /// One index, of the rows of a tenant at the data source `source`.
  vector::VectorSearchConfig vector_search(const std::string& source) const;

  /// From now on these are found, two at a time.
  void find(std::vector<std::string> texts);

  /// Of the requests: those that nobody who was allowed to has sent.
  const std::string& forbidden() const { return forbidden_; }

 private:
  void answer(HttpStubConnection& connection, const HttpStub::Request& request);
  std::string results();

  HttpStub stub_;
  std::unique_ptr<http::HttpClient> http_;
  std::vector<std::string> texts_;
  std::size_t next_ = 0;
  std::string forbidden_;
};

}  // namespace ba
