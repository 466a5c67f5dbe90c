// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/version_facts.hpp"

#include "pipeline/text/message/message.hpp"
#include "storage/migrate.hpp"
#include "worker/version/version.hpp"

namespace ba {

VersionFacts version_facts() {
  return {std::string(program_version()), std::string(program_commit()),
          builtin_migrations().back().version, kMessageSchemaVersion};
}

std::string version_text(const VersionFacts& facts) {
  return "ba-agent " + facts.version + " (" + facts.commit + "), database schema " +
         std::to_string(facts.database_schema) + ", messages " + facts.messages;
}

}  // namespace ba
