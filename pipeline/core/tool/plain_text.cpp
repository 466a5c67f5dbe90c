// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/plain_text.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/core/tool/data_summary.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::size_t kFirstRows = 64;
constexpr std::string_view kArrayEnd = "\n]";

std::string cut(std::string text) {
  text.resize(utf8_prefix(text, kPlainResultBytesMax).size());
  return text;
}

OrderedJson first_rows(const OrderedJson& data, std::size_t count) {
  OrderedJson rows = OrderedJson::array();
  for (std::size_t i = 0; i < count; ++i) rows.push_back(data[i]);
  return rows;
}

}  // namespace

std::string plain_text(const OrderedJson& data) {
  if (data.is_string()) return cut(bare_text(data));
  if (data.is_array())
    for (std::size_t count = kFirstRows; count < data.size(); count *= 2) {
      std::string text = encode_data(DataEncoding::Json, first_rows(data, count));
      if (text.size() >= kPlainResultBytesMax + kArrayEnd.size()) return cut(std::move(text));
    }
  return cut(encode_data(DataEncoding::Json, data));
}

}  // namespace ba
