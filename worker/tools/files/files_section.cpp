// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/files_section.hpp"

#include "pipeline/core/tool/tool_names.hpp"
#include "worker/settings/section_reader.hpp"

namespace ba {
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

}  // namespace

void read_files(SectionReader& tools, FilesConfig& files, FileWriteConfig& file_write) {
  tools.section("files", [&](SectionReader& inner) { read_file_reader(inner, files); });
  tools.section("file_write", [&](SectionReader& inner) { read_file_write(inner, file_write); });
}

}  // namespace ba
