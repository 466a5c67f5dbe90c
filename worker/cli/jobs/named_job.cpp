// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/named_job.hpp"

#include <algorithm>
#include <utility>

#include "storage/query.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba::cli {
namespace {

constexpr std::size_t kLettersShown = 60;
constexpr std::size_t kIdBytesMax = 2 * 4 * 200 + 1;  // TENANT/JOB of 200 characters each

bool may_be_id(const std::string& text) {
  return text.size() <= kIdBytesMax &&
         std::none_of(text.begin(), text.end(),
                      [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; });
}

Error no_id(const std::string& what, const std::string& text) {
  return usage_error(what + " \"" + shortened(text, kLettersShown) + "\" (" +
                     counted(static_cast<std::int64_t>(text.size()), "byte") +
                     ") can't be one: ids have 200 characters at most and no control "
                     "characters");
}

Error ambiguous(const std::string& text, const storage::JobName& other) {
  Error error = usage_error("\"" + text + "\" is a job of tenant \"" + kDefaultTenant +
                            "\", and \"" + other.job.value + "\" one of tenant \"" +
                            other.tenant.value + "\": say which with --tenant " + kDefaultTenant +
                            " or --tenant " + other.tenant.value);
  error.code = ErrorCode::Conflict;
  return error;
}

}  // namespace

Result<storage::JobName> named_job(const storage::PgAccess& access, const std::string& text,
                                   const std::string& tenant) {
  for (const auto& [what, id] : {std::pair{"job id", &text}, std::pair{"--tenant", &tenant}})
    if (!may_be_id(*id)) return no_id(what, *id);
  if (const auto there = check_ledger(access); !there) return there.error();
  if (!tenant.empty()) return storage::JobName{TenantId(tenant), JobId(text)};
  const storage::JobName plain{TenantId(kDefaultTenant), JobId(text)};
  const auto parts = tenant_and_name(text);
  if (!parts) return plain;
  const storage::JobName full{TenantId(parts->first), JobId(parts->second)};
  const auto there = storage::find_job(access, full.tenant, full.job);
  if (!there) return there.error();
  const auto other = storage::find_job(access, plain.tenant, plain.job);
  if (!other) return other.error();
  if (*there && *other) return ambiguous(text, full);
  return *other ? plain : full;
}

}  // namespace ba::cli
