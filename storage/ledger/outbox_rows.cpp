// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/outbox_rows.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/text/message/utf8.hpp"
#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/rows.hpp"

namespace ba::storage {
namespace {

// In order of arrival: the identity numbers follow the sort.
constexpr Statement kInsertOutbox{"insert_outbox", R"sql(
  INSERT INTO outbox (shard, result_id, topic, record_key, record_value, record_headers)
  SELECT shard, result_id, topic, record_key, record_value, record_headers
  FROM unnest($1::integer[], $2::text[], $3::text[], $4::bytea[], $5::bytea[], $6::json[])
    WITH ORDINALITY AS r (shard, result_id, topic, record_key, record_value, record_headers, n)
  ORDER BY n
  ON CONFLICT (result_id) DO NOTHING)sql"};

nlohmann::json to_json(const std::string& bytes) {
  if (!utf8_defect(bytes)) return bytes;
  return {{"hex", hex_of_bytes(bytes)}};
}

std::string from_json(const nlohmann::json& json) {
  if (json.is_string()) return json.get<std::string>();
  return bytes_of_hex(json.at("hex").get<std::string>());
}

}  // namespace

std::string headers_to_json(const Headers& headers) {
  auto json = nlohmann::json::array();
  for (const auto& [name, value] : headers)
    json.push_back(nlohmann::json::array({to_json(name), to_json(value)}));
  return json.dump();
}

Headers headers_from_json(std::string_view json) {
  Headers headers;
  for (const auto& pair : nlohmann::json::parse(json))
    headers.emplace_back(from_json(pair.at(0)), from_json(pair.at(1)));
  return headers;
}

void insert_outbox(Transaction& transaction, const std::vector<const OutboxRecord*>& records) {
  using enum PgType;
  RowArrays<Integer, Text, Text, Bytea, Bytea, Json> rows;
  for (const OutboxRecord* record : records)
    rows.add(record->shard, record->result_id.value, record->topic, record->key, record->value,
             headers_to_json(record->headers));
  rows.write(transaction, kInsertOutbox);
}

}  // namespace ba::storage
