#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads committed records of topics from a position on, without joining a group and without
// leaving a trace: for `results`, `submit --wait`, the demo and checks. Blocking; one thread.

#include <memory>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/intake/raw_record.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

enum class ReadFrom {
  Beginning,
  End,  ///< resolved when the reader is made: nothing that comes later is missed
};

class ResultReader {
 public:
  static Result<std::unique_ptr<ResultReader>> create(const KafkaOptions& options,
                                                      std::vector<std::string> topics,
                                                      ReadFrom from);
  /// From the first records that are not older than `since`.
  static Result<std::unique_ptr<ResultReader>> create(const KafkaOptions& options,
                                                      std::vector<std::string> topics,
                                                      WallTime since);
  /// From these offsets on, for example positions() of an earlier reader.
  static Result<std::unique_ptr<ResultReader>> create(const KafkaOptions& options,
                                                      std::vector<PartitionOffset> positions);
  virtual ~ResultReader() = default;

  /// Waits up to `wait` for the first record, then answers with what is there, at most
  /// `records_max`. Empty: nothing came, or the last partition has just been read to its end.
  virtual Result<std::vector<RawRecord>> read(Milliseconds wait, std::size_t records_max) = 0;

  /// Every partition has been read to the end it had when it was last looked at.
  virtual bool at_end() const = 0;

  virtual std::vector<PartitionOffset> positions() const = 0;
};

}  // namespace ba::kafka
