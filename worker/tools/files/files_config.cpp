// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/files_config.hpp"

#include <set>

#include "worker/tools/base/setting_names.hpp"

namespace ba {
namespace {

void check_roots(std::vector<SettingProblem>& problems, const char* key,
                 const std::vector<FileRootConfig>& roots) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    KeyChecks checks(problems, indexed(key, i));
    check_name(checks, roots[i].name, names);
    checks.expect(roots[i].path.starts_with('/'), "path", "'" + roots[i].path + "'",
                  "an absolute path");
  }
}

}  // namespace

std::vector<SettingProblem> validate(const FilesConfig& files, const FileWriteConfig& file_write) {
  std::vector<SettingProblem> problems;
  check_roots(problems, "tools.files.roots", files.roots);
  check_roots(problems, "tools.file_write.roots", file_write.roots);
  return problems;
}

}  // namespace ba
