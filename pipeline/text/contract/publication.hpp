#pragma once
// SPDX-License-Identifier: Apache-2.0
// How and where results, metrics reports and dead letters are published. Made from the
// configuration once, by main. Values.

#include <cstdint>
#include <string>

#include "pipeline/text/contract/content_type.hpp"

namespace ba {

struct Publication {
  std::string results_topic = "ba.results";
  std::string metrics_topic = "ba.metrics";
  std::string dead_letter_topic = "ba.dead-letters";
  Encoding encoding = Encoding::Json;
  std::string source = "/ba-agent";  ///< ce_source of every event
  int outbox_shards = 1;
  std::int64_t result_bytes_max = 8LL * 1024 * 1024;  ///< of a result's record, see fit_result()
  std::int64_t dead_letter_conversation_bytes_max = 1024 * 1024;  ///< of a job's dead letter

  friend bool operator==(const Publication&, const Publication&) = default;
};

}  // namespace ba
