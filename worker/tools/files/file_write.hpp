#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tool `file_write`: puts a text into a file below the configured directories
// (file_placement.hpp), once for each call. Control thread only; writing happens on threads of its
// own.

#include "worker/tools/base/blocking_runs.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/files/artifact_file.hpp"
#include "worker/tools/files/file_placement.hpp"
#include "worker/tools/files/files_config.hpp"

namespace ba::files {

class FileWrite final : public tools::DescribedTool {
 public:
  FileWrite(FileWriteConfig config, PlacedFiles files, Executor& executor);

  std::optional<ToolError> refusal(const std::string& parameters) const override;

  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  std::optional<ToolError> too_large(const char* what, std::size_t bytes, bool cut = false) const;
  ArtifactFile made_of(const std::string& data, FileToPlace& file) const;
  RawToolResult write(const ToolInvocation& invocation,
                      const tools::Cancellation& cancellation) const;

  FileWriteConfig config_;
  PlacedFiles files_;
  tools::BlockingRuns runs_;  ///< last: its threads end before what they use
};

}  // namespace ba::files
