#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the numbers among the Kafka options may be, as the reader of the configuration asks.
// Where librdkafka or a broker has a bound of its own, it is that one.

#include "pipeline/base/bounds.hpp"

namespace ba::kafka_bounds {

inline constexpr Bounds kRecordBytes{1024, 1'000'000'000};
inline constexpr Bounds kFetchRecordsMin{1, 10'000'000};
inline constexpr Bounds kFetchKilobytesMax{1, 2'097'151};
inline constexpr Bounds kBatchRecordsMax{1, 100'000};
inline constexpr Bounds kBatchBytesMax{1024, 1'000'000'000};
inline constexpr Bounds kLingerMs{0, 1'000};
inline constexpr Bounds kOutstandingRecordsMax{1, 1'000'000};
inline constexpr Bounds kOutstandingBytesMax{1024, 2'000'000'000};
inline constexpr Bounds kCommitIntervalMs{1, 600'000};
inline constexpr Bounds kPollIntervalMaxMs{1'000, 86'400'000};
inline constexpr Bounds kSessionTimeoutMs{1'000, 1'800'000};
inline constexpr Bounds kTransactionTimeoutMs{1'000, 900'000};
inline constexpr Bounds kPartitions{1, 10'000};
inline constexpr Bounds kReplication{0, 32};
inline constexpr Bounds kRetentionMs{1'000, 3660LL * 86'400'000};
inline constexpr Bounds kShards{1, 64};
inline constexpr Bounds kRequestTimeoutMs{100, 600'000};

}  // namespace ba::kafka_bounds
