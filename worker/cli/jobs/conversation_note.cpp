// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/conversation_note.hpp"

#include <set>
#include <utility>

#include "worker/cli/program/wording.hpp"

namespace ba {
namespace {

constexpr std::size_t kToldMax = 10;

std::string name_of(const Job& job) { return job.tenant.value + "/" + job.conversation_id.value; }

}  // namespace

std::string conversation_note(const Job& job, const std::optional<ConversationStanding>& standing) {
  if (!standing) return "conversation " + name_of(job) + " is new";
  return "continues conversation " + name_of(job) + " (" +
         (standing->imported ? "imported, " : "") + counted(standing->jobs, "job") + ")";
}

Result<void> tell_conversations(const PgAccess& access, const std::vector<Job>& jobs,
                                Terminal& terminal) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Job& job : jobs) {
    if (!seen.emplace(job.tenant.value, job.conversation_id.value).second) continue;
    if (seen.size() > kToldMax) continue;
    const auto standing = find_conversation(access, job.tenant, job.conversation_id);
    if (!standing) return standing.error();
    terminal.message(printable(conversation_note(job, *standing)));
  }
  if (seen.size() > kToldMax)
    terminal.message(
        "and " + counted(static_cast<std::int64_t>(seen.size() - kToldMax), "more conversation"));
  return {};
}

}  // namespace ba
