// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/process_stats.hpp"

#include <dirent.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ba::observe {
namespace {

double count_open_files() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), &closedir);
  if (!folder) return 0;
  double count = -1;  // the folder itself
  while (const dirent* entry = readdir(folder.get()))
    if (entry->d_name[0] != '.') ++count;
  return count;
}

double boot_time_seconds() {
  std::ifstream stat("/proc/stat");
  for (std::string line; std::getline(stat, line);)
    if (line.rfind("btime ", 0) == 0) return std::stod(line.substr(6));
  return 0;
}

/// The fields of /proc/self/stat after the command name, as numbered in proc(5) from 3.
std::vector<double> stat_fields() {
  std::ifstream stat("/proc/self/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(line.substr(name_end + 1));
  std::string state;
  rest >> state;
  std::vector<double> fields{0};
  for (double field = 0; rest >> field;) fields.push_back(field);
  return fields;
}

}  // namespace

ProcessStats read_process_stats() {
  static const double boot = boot_time_seconds();
  ProcessStats stats;
  const std::vector<double> fields = stat_fields();
  const auto field = [&](std::size_t number) {
    return number - 3 < fields.size() ? fields[number - 3] : 0;
  };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  stats.cpu_seconds = (field(14) + field(15)) / ticks;
  stats.threads = field(20);
  stats.start_time_seconds = boot + field(22) / ticks;
  stats.virtual_bytes = field(23);
  stats.resident_bytes = field(24) * static_cast<double>(sysconf(_SC_PAGESIZE));
  stats.open_files = count_open_files();
  return stats;
}

}  // namespace ba::observe
