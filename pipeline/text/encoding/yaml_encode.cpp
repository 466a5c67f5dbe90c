// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/yaml_encode.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/encoding/yaml_scalar.hpp"

namespace ba {
namespace {

// A reader looks no further than 1024 characters for the ':' behind a key; escapes count.
constexpr std::size_t kPlainKeyBytesMax = 150;

class Writer {
 public:
  std::string document(const OrderedJson& value) {
    if (is_block(value))
      container(value, 0);
    else
      scalar(value, 1);
    return finished();
  }

  std::string result(const OrderedJson& data, const std::string& summary) {
    out_ = "result:";
    begin_line(1);
    member("data", data, 1);
    begin_line(1);
    member("summary", summary, 1);
    return finished();
  }

 private:
  /// A block that ends in a line end shows it, also where nothing follows.
  std::string finished() {
    if (ends_in_line_end_) out_ += '\n';
    return std::move(out_);
  }

  static bool is_block(const OrderedJson& value) { return value.is_structured() && !value.empty(); }

  void begin_line(int depth) {
    out_ += '\n';
    indent(depth);
  }

  void indent(int depth) { out_.append(static_cast<std::size_t>(depth) * 2, ' '); }

  /// Beginning on the line that is begun at this depth.
  void container(const OrderedJson& value, int depth) {
    bool first = true;
    for (const auto& [key, member] : value.items()) {
      if (!first) begin_line(depth);
      first = false;
      if (value.is_array())
        element(member, depth);
      else
        this->member(key, member, depth);
    }
  }

  void element(const OrderedJson& value, int depth) {
    out_ += "- ";
    if (is_block(value))
      container(value, depth + 1);
    else
      scalar(value, depth + 1);
  }

  void member(const std::string& name, const OrderedJson& value, int depth) {
    if (name.size() > kPlainKeyBytesMax) {
      out_ += "? ";
      append_yaml_string(out_, name);
      begin_line(depth);
      out_ += ": ";
      return is_block(value) ? container(value, depth + 1) : scalar(value, depth + 1);
    }
    append_yaml_string(out_, name);
    out_ += ':';
    if (!is_block(value)) {
      out_ += ' ';
      return scalar(value, depth + 1);
    }
    const int inner = value.is_array() ? depth : depth + 1;  // a list stands below its key
    begin_line(inner);
    container(value, inner);
  }

  /// `depth`: of a block's lines.
  void scalar(const OrderedJson& value, int depth) {
    ends_in_line_end_ = false;
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      if (fits_yaml_block(text))
        block(text, depth);
      else
        append_yaml_string(out_, text);
    } else if (value.is_number_float()) {
      append_yaml_double(out_, value.get<double>());
    } else if (is_kept_number(value)) {
      out_ += kept_text(value);
    } else {
      out_ += value.dump();  // "[]" and "{}" too
    }
  }

  void block(std::string_view text, int depth) {
    const bool ended = text.ends_with('\n');
    out_ += ended ? "|" : "|-";
    ends_in_line_end_ = ended;
    if (ended) text.remove_suffix(1);
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out_ += '\n';
      if (end > at) indent(depth);
      out_ += text.substr(at, end - at);
      at = end + 1;
    }
  }

  std::string out_;
  bool ends_in_line_end_ = false;
};

}  // namespace

std::string yaml_encode(const OrderedJson& value) { return Writer().document(value); }

std::string yaml_encode_result(const OrderedJson& data, const std::string& summary) {
  return Writer().result(data, summary);
}

}  // namespace ba
