// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/needs.hpp"

#include "worker/cli/exit_code.hpp"

namespace ba {
namespace {

Error not_set(const std::string& key, const std::string& variable) {
  Error error = invalid_argument(key + " is not set: set " + variable +
                                 ", or the key in the configuration file");
  error.detail = kConfigurationDetail;
  return error;
}

}  // namespace

Result<KafkaOptions> kafka_of(const Config& config) {
  if (config.kafka.brokers.empty()) return not_set("kafka.brokers", "BA_KAFKA_BROKERS");
  KafkaOptions options = config.kafka;
  options.log = [](int, std::string_view) {};
  return options;
}

Result<PgAccess> postgres_of(const Config& config) {
  if (config.postgres.access.url.empty()) return not_set("postgres.url", "BA_POSTGRES_URL");
  return config.postgres.access;
}

}  // namespace ba
