#pragma once
// SPDX-License-Identifier: Apache-2.0
// What can be configured of the tools over files, already parsed. Every default stands here.
// Values.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::files {

/// One directory that `file_reader` may read below, under `tools.files.roots[]`.
struct FileRootConfig {
  std::string name;         ///< [a-z][a-z0-9_]{0,62}; first part of a path when there are several
  std::string path;         ///< absolute; never shown to a model
  std::string description;  ///< for the model: what is in it

  friend bool operator==(const FileRootConfig&, const FileRootConfig&) = default;
};

/// Under `tools.files`.
struct FilesConfig {
  std::vector<FileRootConfig> roots;
  bool artifacts = false;  ///< read too; without them and roots there is no `file_reader`
  std::int64_t file_bytes_max = 64 * 1024 * 1024;  ///< a larger file is refused
  int row_limit = 100'000;                         ///< rows, items or lines of one result
  std::int64_t result_bytes_max = 64 * 1024 * 1024;
  int threads = 2;

  friend bool operator==(const FilesConfig&, const FilesConfig&) = default;
};

/// Under `tools.file_write`.
struct FileWriteConfig {
  std::vector<FileRootConfig> roots;  ///< none: there is no `file_write`
  bool artifacts = false;             ///< the data of one may be written, too
  PermissionLevel permission = PermissionLevel::Admin;
  std::int64_t file_bytes_max = 1024 * 1024;
  bool csv_formulas = false;  ///< of an artifact's texts: stay what a spreadsheet would compute
  int keep_days = 30;         ///< keys of calls; one that is repeated later would write again
  int threads = 2;

  friend bool operator==(const FileWriteConfig&, const FileWriteConfig&) = default;
};

/// `tools.files` and `tools.file_write`. `tools`: the section around them.
void read_files(settings::SectionReader& tools, FilesConfig& files, FileWriteConfig& file_write);

/// What no field alone can tell. Looks at the values alone: the file system isn't asked.
std::vector<SettingProblem> validate(const FilesConfig& files, const FileWriteConfig& file_write);

}  // namespace ba::files
