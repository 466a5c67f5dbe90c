// SPDX-License-Identifier: Apache-2.0
#include "worker/config/connection_setting.hpp"

#include "storage/libpq/conninfo.hpp"
#include "worker/config/section_reader.hpp"

namespace ba::settings {

void read_connection(SectionReader& in, const char* key, std::string& url) {
  in.connection(key, url);
  const auto problem = conninfo_problem(url);
  if (!problem) return;
  const std::string file_key = std::string(key) + "_file";
  in.error(in.has(file_key) ? file_key : std::string(key),
           *problem + "; expected postgresql://user:password@host:port/database");
}

}  // namespace ba::settings
