#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads the last committed receipt of a shard: from the end of its partition back until one is
// found. Blocking, bounded by the request timeout; inside worker/kafka, any thread.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

/// The record of a receipt: key is the shard, value the batch number, both as decimal text.
std::string receipt_key(int shard);
std::string receipt_value(std::int64_t batch);

/// The batch number of such a record; none when it is anything else.
std::optional<std::int64_t> receipt_number(std::string_view key, std::string_view value, int shard);

/// None: the shard's partition holds no receipt at all. `abandoned` ends the wait early.
Result<std::optional<std::int64_t>> read_receipt(const KafkaOptions& options, int shard,
                                                 const std::atomic<bool>& abandoned);

}  // namespace ba::kafka
