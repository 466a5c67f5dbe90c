#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `web_search`: asks one HTTP search API, as it is configured (web_search_config.hpp).
// Destroying a run closes its connection. Redirects are not followed. Control thread only.

#include <memory>
#include <optional>
#include <string>

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/search/web_search_config.hpp"

namespace ba::search {

class WebSearch final : public tools::DescribedTool {
 public:
  /// Without an endpoint (of search_endpoint()) it describes itself, and can't be run.
  WebSearch(WebSearchConfig config, std::unique_ptr<http::HttpEndpoint> endpoint,
            Executor& executor);

  std::optional<ToolError> refusal(const std::string& parameters) const override;

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  const WebSearchConfig config_;
  Executor& executor_;
  std::unique_ptr<http::HttpEndpoint> endpoint_;
};

}  // namespace ba::search
