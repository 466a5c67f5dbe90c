// SPDX-License-Identifier: Apache-2.0
#include "worker/config/process_sections.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <array>

#include "worker/settings/section_reader.hpp"

namespace ba::config {
namespace {

constexpr std::int64_t kMsPerDay = 24LL * 3600 * 1000;

/// In days; 0 is for ever.
void read_days(settings::SectionReader& in, const char* key, RetentionRules::Age& age) {
  std::int64_t days = age ? age->count() / kMsPerDay : 0;
  in.read(key, days, {0, 36'525});
  age.reset();
  if (days > 0) age = Milliseconds(days * kMsPerDay);
}

bool is_ip_address(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "worker";
  return name.data();
}

void read_worker(settings::SectionReader& in, WorkerConfig& worker) {
  worker.name = host_name();
  in.read("name", worker.name);
  in.read("lease_ms", worker.lease, {1'000, 600'000});
  in.read("renew_interval_ms", worker.renew_interval, {50, 300'000});
  in.read("reap_interval_ms", worker.reap_interval, {50, 300'000});
  in.read("claim_interval_ms", worker.claim_interval, {10, 60'000});
  in.read("drain_grace_ms", worker.drain_grace, {0, 3'600'000});
  if (worker.name.empty() || worker.name.size() > 200)
    in.error("name", SettingProblem::Kind::NotAllowed,
             "must have 1 to 200 characters, and has " + std::to_string(worker.name.size()));
  if (worker.renew_interval * 2 > worker.lease)
    in.conflict("renew_interval_ms", "lease_ms",
                "renew_interval_ms (" + std::to_string(worker.renew_interval.count()) +
                    ") must be at most half of lease_ms (" + std::to_string(worker.lease.count()) +
                    "), so that one lost renewal doesn't end the lease");
}

void read_outbox(settings::SectionReader& in, OutboxConfig& outbox) {
  in.read("shards", outbox.shards, {1, 64});
  in.read("linger_ms", outbox.linger, {0, 10'000});
  in.read("batch_records_max", outbox.batch_records_max, {1, 100'000});
  in.read("own_interval_ms", outbox.own_interval, {50, 60'000});
}

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
  in.read("interval_ms", retention.interval, {100, kMsPerDay});
}

void read_http(settings::SectionReader& in, HttpConfig& http) {
  in.read("enabled", http.enabled);
  in.read("address", http.address);
  in.read("port", http.port, {0, 65'535});
  if (!is_ip_address(http.address))
    in.refuse("address", {.kind = SettingProblem::Kind::NotAllowed,
                          .value = "\"" + http.address + "\"",
                          .allowed = "an IP address (127.0.0.1, 0.0.0.0, ::)"});
}

}  // namespace ba::config
