#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `ba-agent version` and `ba-agent --version` tell of this program. Values; any thread.

#include <string>

namespace ba {

struct VersionFacts {
  std::string version;
  std::string commit;
  int database_schema = 0;  ///< to which it migrates, and with which it works
  std::string messages;     ///< of the messages and tool results that it writes
};

VersionFacts version_facts();

/// "ba-agent 0.1.0 (commit), database schema 24, messages 2.1".
std::string version_text(const VersionFacts& facts);

}  // namespace ba
