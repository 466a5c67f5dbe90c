#pragma once
// SPDX-License-Identifier: Apache-2.0
// How the log is written, as main fills it in from the configuration. Values.

#include <map>
#include <string>
#include <vector>

#include "pipeline/core/port/log.hpp"

namespace ba {

struct LogSettings {
  LogLevel level = LogLevel::Info;
  bool json = true;  ///< JSON lines, else text for people, in colours on terminals
  bool to_stdout = false;
  bool to_stderr = true;
  std::string file;                         ///< empty: none; appended to
  std::map<std::string, std::string> tags;  ///< in every JSON line: service, environment, …
  std::vector<std::string> secrets;         ///< never written, whatever holds them
};

}  // namespace ba
