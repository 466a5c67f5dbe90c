// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/files_config.hpp"

#include <set>

#include "pipeline/core/tool/tool_names.hpp"
#include "worker/settings/section_reader.hpp"
#include "worker/tools/base/setting_names.hpp"

namespace ba::files {
namespace {

using settings::SectionReader;

void read_roots(SectionReader& in, std::vector<FileRootConfig>& roots) {
  in.list("roots", [&](SectionReader& inner) {
    FileRootConfig& root = roots.emplace_back();
    inner.read("name", root.name);
    inner.read("path", root.path);
    inner.read("description", root.description);
  });
}

void read_file_write(SectionReader& in, FileWriteConfig& files) {
  read_roots(in, files.roots);
  in.read("permission", files.permission, kPermissionNames);
  in.read("file_bytes_max", files.file_bytes_max, {1, 64LL << 20});
  in.read("csv_formulas", files.csv_formulas);
  in.read("keep_days", files.keep_days, {1, 3650});
  in.read("threads", files.threads, {1, 64});
}

void read_file_reader(SectionReader& in, FilesConfig& files) {
  read_roots(in, files.roots);
  in.read("file_bytes_max", files.file_bytes_max, {1, 1LL << 30});
  in.read("row_limit", files.row_limit, {1, 100'000});
  in.read("result_bytes_max", files.result_bytes_max, {1024, 64LL << 20});
  in.read("threads", files.threads, {1, 64});
}

void check_roots(std::vector<SettingProblem>& problems, const char* key,
                 const std::vector<FileRootConfig>& roots) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    KeyChecks checks(problems, tools::indexed(key, i));
    tools::check_name(checks, roots[i].name, names);
    checks.expect(roots[i].path.starts_with('/'), "path", "'" + roots[i].path + "'",
                  "an absolute path");
  }
}

}  // namespace

void read_files(SectionReader& tools, FilesConfig& files, FileWriteConfig& file_write) {
  tools.section("files", [&](SectionReader& inner) { read_file_reader(inner, files); });
  tools.section("file_write", [&](SectionReader& inner) { read_file_write(inner, file_write); });
}

std::vector<SettingProblem> validate(const FilesConfig& files, const FileWriteConfig& file_write) {
  std::vector<SettingProblem> problems;
  check_roots(problems, "tools.files.roots", files.roots);
  check_roots(problems, "tools.file_write.roots", file_write.roots);
  return problems;
}

}  // namespace ba::files
