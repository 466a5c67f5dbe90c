// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/needs.hpp"

#include "storage/migrate.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {
namespace {

Error not_set(const std::string& key, const std::string& variable) {
  return configuration_error(key + " is not set: set " + variable +
                             ", or the key in the configuration file");
}

}  // namespace

std::string describe(const Needs& needs) {
  if (!needs.configuration) return "Runs with a wrong configuration, too.";
  const std::string database = needs.database ? "PostgreSQL (postgres.url)" : "";
  const std::string broker = needs.broker ? "Kafka (kafka.brokers)" : "";
  const std::string both = needs.database && needs.broker ? " and " : "";
  return database.empty() && broker.empty() ? "" : "Needs " + database + both + broker + ".";
}

Result<kafka::KafkaOptions> kafka_of(const config::Config& config) {
  if (config.kafka.brokers.empty()) return not_set("kafka.brokers", "BA_KAFKA_BROKERS");
  kafka::KafkaOptions options = config.kafka;
  options.log = [](int, std::string_view) {};
  return options;
}

Result<storage::PgAccess> postgres_of(const config::Config& config) {
  if (config.postgres.access.url.empty()) return not_set("postgres.url", "BA_POSTGRES_URL");
  return config.postgres.access;
}

Result<void> check_ledger(const storage::PgAccess& access) {
  const auto fits = storage::require_schema(access);
  // Who may read some tables only can't see the schema's history.
  if (fits || fits.error().code == ErrorCode::PermissionDenied) return {};
  Error error = fits.error();
  if (error.code == ErrorCode::Conflict) error.detail = kConfigurationDetail;
  return error;
}

Result<storage::PgAccess> ledger_of(const config::Config& config) {
  auto access = postgres_of(config);
  if (!access) return access;
  const auto checked = check_ledger(*access);
  return checked ? access : checked.error();
}

}  // namespace ba::cli
