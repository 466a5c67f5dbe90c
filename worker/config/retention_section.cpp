// SPDX-License-Identifier: Apache-2.0
#include "worker/config/retention_section.hpp"

#include "worker/settings/section_reader.hpp"

namespace ba {
namespace {

constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;

/// In days; 0 is for ever.
void read_days(settings::SectionReader& in, const char* key, RetentionRules::Age& age) {
  std::int64_t days = age ? age->count() / kDayMs : 0;
  in.read(key, days, {0, 36'525});
  age.reset();
  if (days > 0) age = Milliseconds(days * kDayMs);
}

}  // namespace

void read_retention(settings::SectionReader& in, RetentionConfig& retention) {
  RetentionRules& rules = retention.rules;
  read_days(in, "jobs_days", rules.jobs);
  read_days(in, "dead_letters_days", rules.dead_letters);
  read_days(in, "outbox_days", rules.outbox);
  in.entries("tenants", [&](const std::string& name, settings::SectionReader& tenant) {
    RetentionRules::Age age = rules.jobs;
    read_days(tenant, "jobs_days", age);
    rules.tenants[TenantId(name)] = age;
  });
  in.read("batch_rows_max", rules.batch_rows_max, {1, 10'000});
  in.read("interval_ms", retention.interval, {100, kDayMs});
}

}  // namespace ba
