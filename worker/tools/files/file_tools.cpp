// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_tools.hpp"

#include <utility>

#include "worker/tools/files/file_reader.hpp"
#include "worker/tools/files/file_write.hpp"
#include "worker/tools/files/files_config.hpp"
#include "worker/tools/files/rooted_file.hpp"

namespace ba::files {
namespace {

std::vector<tools::ToolMaker> makers(const tools::ToolsConfig& config,
                                     const tools::ToolBasis& basis) {
  FilesConfig files = config.of<FilesConfig>();
  FileWriteConfig file_write = config.of<FileWriteConfig>();
  files.artifacts = file_write.artifacts = basis.artifacts.has_value();
  tools::ToolMaker read{
      "file_reader", "tools.files.roots", !files.roots.empty() || files.artifacts, {}};
  read.artifacts = tools::ArtifactRole::Reads;
  read.make = [files](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    auto roots = FileRoots::open(files.roots);
    if (!roots) return roots.error();
    const auto offer =
        making.only_described ? FileReader::Offer::Everything : FileReader::Offer::Configured;
    return std::make_unique<FileReader>(files, std::move(*roots), making.ports.executor, offer);
  };
  tools::ToolMaker write{"file_write", "tools.file_write.roots", !file_write.roots.empty(), {}};
  write.artifacts = tools::ArtifactRole::Reads;
  write.make = [file_write](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    auto placed =
        PlacedFiles::open(making.only_described ? std::vector<FileRootConfig>() : file_write.roots);
    if (!placed) return placed.error();
    return std::make_unique<FileWrite>(file_write, std::move(*placed), making.ports.executor);
  };
  return {std::move(read), std::move(write)};
}

}  // namespace

tools::ToolFamily file_tools() {
  return {.read =
              [](settings::SectionReader& tools, tools::ToolsConfig& config) {
                read_files(tools, config.of<FilesConfig>(), config.of<FileWriteConfig>());
              },
          .check =
              [](const tools::ToolsConfig& config) {
                return validate(config.of<FilesConfig>(), config.of<FileWriteConfig>());
              },
          .makers = makers};
}

}  // namespace ba::files
