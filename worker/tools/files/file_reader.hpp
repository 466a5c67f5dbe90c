#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `file_reader`: reads CSV, JSON and text files below the configured roots
// (rooted_file.hpp), and artifacts, by range, sample or JSON path (file_content.hpp). No real path
// is ever in a result, an error or the description. Control thread only; reading happens on threads
// of its own.

#include <memory>

#include "worker/tools/base/blocking_runs.hpp"
#include "worker/tools/base/result_items.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/files/files_config.hpp"
#include "worker/tools/files/rooted_file.hpp"

namespace ba::files {

class FileReader final : public tools::DescribedTool {
 public:
  /// What a model is offered: what is configured, or, to be described, everything there could be.
  enum class Offer { Configured, Everything };

  FileReader(FilesConfig config, FileRoots roots, Executor& executor,
             Offer offer = Offer::Configured);

  /// Of the rows that are asked for, where that doesn't depend on the others.
  std::optional<ItemRange> artifact_range(const std::string& parameters) const override;

  std::optional<ToolError> refusal(const std::string& parameters) const override;

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  RawToolResult read(const ToolInvocation& invocation, const tools::Cancellation& cancellation,
                     tools::ResultRoom room) const;

  FilesConfig config_;
  FileRoots roots_;
  Executor& executor_;
  tools::BlockingRuns runs_;  ///< last: its threads end before what they use
};

}  // namespace ba::files
