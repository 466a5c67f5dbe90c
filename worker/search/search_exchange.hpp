#pragma once
// SPDX-License-Identifier: Apache-2.0
// One search under way: a request, its answer, and the time that both may take. Shared by the run
// that was started and the tasks it has posted; when the run goes, so does the connection. Control
// thread only.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/port/executor.hpp"
#include "pipeline/tool/tool.hpp"
#include "worker/llm/http_client.hpp"
#include "worker/search/search_request.hpp"

namespace ba {

class SearchExchange final : public HttpReceiver,
                             public std::enable_shared_from_this<SearchExchange> {
 public:
  /// Both outlive the exchange.
  SearchExchange(const WebSearchConfig& config, Executor& executor,
                 std::function<void(RawToolResult)> done);

  void start(HttpEndpoint& endpoint, const SearchOrder& order, Milliseconds timeout);

  /// Without asking anybody.
  void answer_soon(RawToolResult result);

 private:
  void on_head(HttpHead head) override;
  HttpNext on_body(std::string_view piece) override;
  void on_end(HttpEnd end) override;

  void ended(const HttpEnd& end);
  void finish(RawToolResult result);

  const WebSearchConfig& config_;
  Executor& executor_;
  std::function<void(RawToolResult)> done_;  ///< empty once it has been told
  int results_max_ = 0;
  int status_ = 0;
  std::optional<Milliseconds> asked_wait_;
  std::string body_;
  std::unique_ptr<Timer> limit_;
  std::unique_ptr<HttpCall> call_;
};

}  // namespace ba
