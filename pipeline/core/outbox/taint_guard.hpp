#pragma once
// SPDX-License-Identifier: Apache-2.0
// Counts the requests of a transactional producer that matter to its transactions, and their
// answers (interceptors). librdkafka repeats a timed-out EndTxn in silence, and a broker before
// KIP-890 lets a late one end the next transaction; so a producer with a request that got no clean
// answer must be replaced before the next begin. Any thread; outlives the client.

#include <atomic>
#include <cstdint>

namespace ba {

class TaintGuard {
 public:
  /// A transaction begins.
  void begin();

  /// Every request since the client was made was answered, none failed, and since begin() EndTxn
  /// was sent at most once and no connection was lost.
  bool clean() const;

  /// Comes on the thread that sends (one for each broker).
  void on_sent(std::int16_t api_key);

  /// Comes on the thread that sent, and once more on the thread that takes the answer off a queue
  /// where there is one: librdkafka 2.0.2 calls the interceptor twice then, with a correlation id
  /// of 0 either time. Only the first counts.
  void on_received(std::int16_t api_key, bool failed);

  void on_connection_lost() { connection_lost_ = true; }

 private:
  std::atomic<std::int64_t> unanswered_{0};
  std::atomic<bool> failed_{false};
  std::atomic<int> ends_sent_{0};  ///< since begin()
  std::atomic<bool> connection_lost_{false};
};

}  // namespace ba
