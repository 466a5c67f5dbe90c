#pragma once
// SPDX-License-Identifier: Apache-2.0
// One search under way: the embedding of its query by HTTP, then the rows of the data source, and
// the time that all may take. Shared by the run that was started and the tasks it has posted; when
// the run goes, so do the connection or the statement. Control thread only.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/port/executor.hpp"
#include "pipeline/tool/tool.hpp"
#include "worker/llm/http_client.hpp"
#include "worker/vector/vector_source.hpp"

namespace ba {

class VectorExchange final : public HttpReceiver,
                             public std::enable_shared_from_this<VectorExchange> {
 public:
  /// Both outlive the exchange.
  VectorExchange(const VectorSearchConfig& config, Executor& executor,
                 std::function<void(RawToolResult)> done);

  /// `order` lacks its embedding still. The endpoint and the source outlive the exchange.
  void start(HttpEndpoint& endpoint, VectorSource& source, const std::string& query,
             VectorOrder order, Milliseconds timeout);

  /// Without asking anybody.
  void answer_soon(RawToolResult result);

 private:
  void on_head(HttpHead head) override;
  HttpNext on_body(std::string_view piece) override;
  void on_end(HttpEnd end) override;

  void embedded(const HttpEnd& end);
  void finish(RawToolResult result);

  const VectorSearchConfig& config_;
  Executor& executor_;
  std::function<void(RawToolResult)> done_;  ///< empty once it has been told
  VectorSource* source_ = nullptr;
  VectorOrder order_;
  Milliseconds timeout_{0};
  int status_ = 0;
  std::optional<Milliseconds> asked_wait_;
  std::string body_;
  std::unique_ptr<Timer> limit_;
  std::unique_ptr<HttpCall> call_;
  std::unique_ptr<ToolRun> rows_;
};

}  // namespace ba
