// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_tools.hpp"

#include <utility>

#include "worker/tools/files/file_reader.hpp"
#include "worker/tools/files/file_write.hpp"
#include "worker/tools/files/files_config.hpp"
#include "worker/tools/files/rooted_file.hpp"

namespace ba {
namespace {

std::vector<ToolMaker> makers(const ToolsConfig& config, const ToolBasis& basis) {
  FilesConfig files = config.of<FilesConfig>();
  FileWriteConfig file_write = config.of<FileWriteConfig>();
  files.artifacts = file_write.artifacts = basis.artifacts.has_value();
  ToolMaker read{"file_reader", "tools.files.roots", !files.roots.empty() || files.artifacts, {}};
  read.artifacts = ArtifactRole::Reads;
  read.make = [files](const ToolMaking& making) -> Result<MadeTool> {
    auto roots = FileRoots::open(files.roots);
    if (!roots) return roots.error();
    const auto offer =
        making.only_described ? FileReader::Offer::Everything : FileReader::Offer::Configured;
    return std::make_unique<FileReader>(files, std::move(*roots), making.ports.executor, offer);
  };
  ToolMaker write{"file_write", "tools.file_write.roots", !file_write.roots.empty(), {}};
  write.artifacts = ArtifactRole::Reads;
  write.make = [file_write](const ToolMaking& making) -> Result<MadeTool> {
    auto placed =
        PlacedFiles::open(making.only_described ? std::vector<FileRootConfig>() : file_write.roots);
    if (!placed) return placed.error();
    return std::make_unique<FileWrite>(file_write, std::move(*placed), making.ports.executor);
  };
  return {std::move(read), std::move(write)};
}

}  // namespace

ToolFamily file_tools() {
  return {.read =
              [](settings::SectionReader& tools, ToolsConfig& config) {
                read_files(tools, config.of<FilesConfig>(), config.of<FileWriteConfig>());
              },
          .check =
              [](const ToolsConfig& config) {
                return validate(config.of<FilesConfig>(), config.of<FileWriteConfig>());
              },
          .makers = makers};
}

}  // namespace ba
