// SPDX-License-Identifier: Apache-2.0
#include "storage/control/no_such_job.hpp"

#include <algorithm>

namespace ba::storage {
namespace {

constexpr std::size_t kTenantsNamed = 5;

// No index has job ids alone: one look for each tenant, of a thousand at most. The policies of
// tenant_readers hold here as everywhere.
constexpr Statement kTenants{"tenants_of_job", R"sql(
  WITH RECURSIVE known (tenant, n) AS (
    (SELECT tenant, 1 FROM jobs ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT j.tenant FROM jobs j WHERE j.tenant > k.tenant ORDER BY j.tenant LIMIT 1),
           k.n + 1
    FROM known k WHERE k.tenant IS NOT NULL AND k.n < 1000)
  SELECT k.tenant FROM known k
  WHERE EXISTS (SELECT FROM jobs j WHERE j.tenant = k.tenant AND j.job_id = $1)
  ORDER BY k.tenant LIMIT $2::integer)sql"};

std::string elsewhere(Transaction& transaction, const JobName& name) {
  const auto rows = transaction.run(kTenants, name.job.value, kTenantsNamed + 1);
  if (rows.empty()) return "";
  const std::string first = rows[0].text("tenant");
  if (rows.size() == 1) return "tenant \"" + first + "\" has a job of that id: --tenant " + first;
  const std::size_t named = std::min(rows.size(), kTenantsNamed);
  std::string tenants;
  for (std::size_t i = 0; i < named; ++i)
    tenants += (i > 0 ? ", \"" : "\"") + rows[i].text("tenant") + "\"";
  return "tenants " + tenants + (rows.size() > named ? " and others" : "") +
         " have a job of that id: say whose with --tenant";
}

}  // namespace

Error no_such_job(Transaction& transaction, const JobName& name) {
  const std::string where = elsewhere(transaction, name);
  return make_error(ErrorCode::NotFound,
                    "there is no job \"" + name.job.value + "\" of tenant \"" + name.tenant.value +
                        "\" in the ledger; " +
                        (where.empty() ? "`ba-agent job list` names those there are" : where));
}

Error no_such_job(const PgAccess& access, const JobName& name) {
  return read_once(access,
                   [&](Transaction& transaction) -> Result<void> {
                     return no_such_job(transaction, name);
                   })
      .error();
}

std::string job_elsewhere(const PgAccess& access, const JobName& name) {
  const auto text = read_once(access, [&](Transaction& transaction) -> Result<std::string> {
    return elsewhere(transaction, name);
  });
  return text ? *text : "";
}

}  // namespace ba::storage
