// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/full_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "pipeline/core/tool/data_summary.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

using Json = OrderedJson;

constexpr std::size_t kFirstGuess = 64;  // rows
constexpr std::string_view kArrayEnd = "\n]";
/// The text of some rows may be longer than that of all: these may lack what the others have alike.
/// It isn't so many times as long.
constexpr std::size_t kSurelyLonger = 4;

Json first_rows(const Json& data, std::size_t count) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < count; ++i) rows.push_back(data[i]);
  return rows;
}

/// Writes the first rows of a result, or all of it.
class RowText {
 public:
  RowText(const Json& data, const std::string& summary, const ResultFormat& format)
      : data_(data), summary_(summary), format_(format) {}

  std::string all() const { return encode_result(format_.encoding, data_, summary_, format_.tool); }

  std::string first(std::size_t count) const {
    if (count == data_.size()) return all();
    return encode_result(format_.encoding, first_rows(data_, count), summary_, format_.tool);
  }

  /// All of it where that has at most so many bytes, else nothing; a long result isn't written
  /// whole to find out.
  std::optional<std::string> all_within(std::size_t bytes_max) const {
    for (std::size_t count = kFirstGuess; count < data_.size(); count *= 2)
      if (first(count).size() > kSurelyLonger * bytes_max) return std::nullopt;
    std::string text = all();
    if (text.size() > bytes_max) return std::nullopt;
    return text;
  }

  /// How many rows fit into so many bytes.
  std::size_t fitting(std::size_t bytes_max) const {
    std::size_t fit = 0;
    std::size_t not_fit = 1;
    while (not_fit < data_.size() && first(not_fit).size() <= bytes_max) {
      fit = not_fit;
      not_fit *= 2;
    }
    not_fit = std::min(not_fit, data_.size());
    while (fit + 1 < not_fit) {
      const std::size_t middle = fit + (not_fit - fit) / 2;
      (first(middle).size() <= bytes_max ? fit : not_fit) = middle;
    }
    return fit;
  }

 private:
  const Json& data_;
  const std::string& summary_;
  const ResultFormat& format_;
};

std::string more(std::size_t count, const std::string& what) {
  return "… " + std::to_string(count) + " more " + what + (count == 1 ? "" : "s");
}

/// What isn't at hand can't be whole in the text.
FullText first_of_whole(const RowText& rows, std::size_t at_hand, const ResultFormat& format) {
  const auto bytes_max = static_cast<std::size_t>(format.preview_bytes);
  std::size_t shown = rows.fitting(bytes_max);
  if (shown + 1 == at_hand && rows.all().size() <= bytes_max) shown = at_hand;
  const std::string text = shown > 0 ? rows.first(shown) + "\n" : "";
  return {text + more(static_cast<std::size_t>(format.whole->items) - shown, "row"), true};
}

FullText full_rows(const Json& data, const std::string& summary, const ResultFormat& format) {
  const RowText rows(data, summary, format);
  if (format.whole) return first_of_whole(rows, data.size(), format);
  if (!format.full_inline_max || data.empty()) return {rows.all(), false};
  if (auto all = rows.all_within(static_cast<std::size_t>(*format.full_inline_max)))
    return {std::move(*all), false};
  const std::size_t shown = rows.fitting(static_cast<std::size_t>(format.preview_bytes));
  const std::string text = shown > 0 ? rows.first(shown) + "\n" : "";
  return {text + more(data.size() - shown, "row"), true};
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

FullText beginning(std::string text, const ResultFormat& format) {
  const auto most = format.full_inline_max;
  if (!most || text.size() <= static_cast<std::size_t>(*most)) return {std::move(text), false};
  const auto shown = utf8_prefix(text, static_cast<std::size_t>(format.preview_bytes)).size();
  const std::size_t left = code_points(std::string_view(text).substr(shown));
  if (left == 0) return {std::move(text), false};
  text.resize(shown);
  return {text + (text.empty() ? "" : "\n") + more(left, "character"), true};
}

std::string cut(std::string text) {
  text.resize(utf8_prefix(text, kPlainResultBytesMax).size());
  return text;
}

}  // namespace

FullText full_text(const Json& data, const std::string& summary, const ResultFormat& format) {
  if (data.is_array()) return full_rows(data, summary, format);
  const bool bare = format.encoding == DataEncoding::Auto ||
                    (format.whole_text && format.encoding == DataEncoding::Json);
  if (data.is_string() && bare) return beginning(bare_text(data), format);
  return beginning(encode_result(format.encoding, data, summary, format.tool), format);
}

std::string plain_text(const OrderedJson& data) {
  if (data.is_string()) return cut(bare_text(data));
  if (data.is_array())
    for (std::size_t count = kFirstGuess; count < data.size(); count *= 2) {
      std::string text = encode_data(DataEncoding::Json, first_rows(data, count));
      if (text.size() >= kPlainResultBytesMax + kArrayEnd.size()) return cut(std::move(text));
    }
  return cut(encode_data(DataEncoding::Json, data));
}

}  // namespace ba
