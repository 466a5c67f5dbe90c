// SPDX-License-Identifier: Apache-2.0
// A record of the receipts topic, "key\nvalue": one that is read as a receipt of a shard is, byte
// for byte, one that would be written for its number.
#include "worker/kafka/receipt_reader.hpp"

#include "tests/fuzz/targets.hpp"

void ba::fuzz::receipt(std::string_view input) {
  const std::string_view key = input.substr(0, input.find('\n'));
  const std::string_view value = input.substr(std::min(key.size() + 1, input.size()));
  for (const int shard : {0, 7, 12}) {
    const auto batch = kafka::receipt_number(key, value, shard);
    if (!batch) continue;
    BA_ASSERT(*batch > 0);
    BA_ASSERT(key == kafka::receipt_key(shard) && value == kafka::receipt_value(*batch));
  }
}
