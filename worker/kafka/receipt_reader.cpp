// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/receipt_reader.hpp"

#include <algorithm>
#include <charconv>

#include "worker/kafka/client.hpp"
#include "worker/kafka/needed_rights.hpp"

namespace ba::kafka {
namespace {

using Deadline = std::chrono::steady_clock::time_point;
using Receipt = std::optional<std::int64_t>;

constexpr std::int64_t kFirstWindow = 64;  ///< offsets; a batch takes two (receipt and marker)
constexpr std::int64_t kWiden = 8;

class Reader {
 public:
  Reader(const KafkaOptions& options, int shard, ClientHandle client,
         const std::atomic<bool>& abandoned)
      : topic_(options.topics.receipts),
        shard_(shard),
        client_(std::move(client)),
        abandoned_(abandoned),
        timeout_(options.request_timeout),
        deadline_(std::chrono::steady_clock::now() + options.request_timeout) {}

  Result<Receipt> last() {
    const auto marks = query_watermarks(*client_, topic_, shard_, timeout_);
    if (!marks) return marks.error();
    const auto [low, high] = *marks;
    for (std::int64_t window = kFirstWindow;; window *= kWiden) {
      const std::int64_t start = std::max(low, high - window);
      if (start >= high) return Receipt{};
      auto found = last_from(start);
      if (!found || *found || start == low) return found;
    }
  }

 private:
  Result<Receipt> last_from(std::int64_t start) {
    PartitionList list(rd_kafka_topic_partition_list_new(1));
    rd_kafka_topic_partition_list_add(list.get(), topic_.c_str(), shard_)->offset = start;
    if (const auto code = rd_kafka_assign(client_.get(), list.get());
        code != RD_KAFKA_RESP_ERR_NO_ERROR)
      return to_error(failure_of(code), what());
    Receipt last;
    while (true) {
      if (out_of_time())
        return to_error(failure_of(RD_KAFKA_RESP_ERR__TIMED_OUT, "no answer in time"), what());
      const MessageHandle message(rd_kafka_consumer_poll(client_.get(), 100));
      if (!message) continue;
      if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return last;
      if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
        return to_error(failure_of(message->err, rd_kafka_message_errstr(message.get())), what());
      auto number = parse(*message);
      if (!number) return number.error();
      last = *number;
    }
  }

  bool out_of_time() const { return abandoned_ || std::chrono::steady_clock::now() > deadline_; }

  Result<std::int64_t> parse(const rd_kafka_message_t& message) const {
    const RawRecord record = to_raw_record(message);
    if (record.key)
      if (const auto number = receipt_number(*record.key, record.value, shard_)) return *number;
    return make_error(ErrorCode::Corrupt,
                      "kafka: " + what() + ": offset " + std::to_string(message.offset) +
                          " is not a receipt of this shard; nothing else may write to " + topic_);
  }

  std::string what() const {
    return "reading the last receipt of shard " + std::to_string(shard_) + " from " + topic_;
  }

  const std::string& topic_;
  int shard_;
  ClientHandle client_;
  const std::atomic<bool>& abandoned_;
  Milliseconds timeout_;
  Deadline deadline_;
};

}  // namespace

std::string receipt_key(int shard) { return std::to_string(shard); }
std::string receipt_value(std::int64_t batch) { return std::to_string(batch); }

std::optional<std::int64_t> receipt_number(std::string_view key, std::string_view value,
                                           int shard) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool written = parsed.ec == std::errc() && number > 0 && value == receipt_value(number);
  return written && key == receipt_key(shard) ? std::optional(number) : std::nullopt;
}

Result<std::optional<std::int64_t>> read_receipt(const KafkaOptions& options, int shard,
                                                 const std::atomic<bool>& abandoned) {
  ClientHooks hooks(options.log);
  auto client = make_client(RD_KAFKA_CONSUMER, options, hooks, reader_settings(options));
  if (!client) return client.error();
  rd_kafka_poll_set_consumer(client->get());
  auto receipt = Reader(options, shard, std::move(*client), abandoned).last();
  if (!receipt) return with_lack_of_reading(receipt.error(), options.topics.receipts, options);
  return receipt;
}

}  // namespace ba::kafka
