#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads foreign JSON without copying it: parse() proves the whole text once (RFC 8259, UTF-8, at
// most kDepthMax deep), after that a view finds its way by skipping. Every value keeps its bytes,
// so what must be handed back untouched can be. The text must outlive its views. Any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

enum class JsonKind { Missing, Null, Bool, Number, String, Array, Object };

class JsonView {
 public:
  static constexpr int kDepthMax = 64;

  /// A view of nothing: kind Missing.
  JsonView() = default;

  /// Fails with Protocol and where the text stops being one JSON value.
  static Result<JsonView> parse(std::string_view text);

  /// Of a text that is known to be one JSON value, however deep: is_json, or what we wrote.
  static JsonView of_proven(std::string_view text);

  JsonKind kind() const;
  bool is(JsonKind kind) const { return this->kind() == kind; }
  /// Missing or null: what the sender had nothing to say about.
  bool absent() const { return raw_.empty() || raw_.front() == 'n'; }
  std::string_view raw() const { return raw_; }

  /// The member of an object, the last one when the key is repeated; else Missing. Keys are
  /// compared as written.
  JsonView operator[](std::string_view key) const;

  /// Calls `visit(std::string_view raw_key, JsonView value)` for each member of an object.
  template <typename Visit>
  void for_each_member(Visit&& visit) const;

  /// Calls `visit(JsonView element)` for each element of an array.
  template <typename Visit>
  void for_each_element(Visit&& visit) const;

  std::string text() const;                     ///< of a string; of anything else ""
  void append_text(std::string& out) const;     ///< the same, appended
  bool equals(std::string_view text) const;     ///< a string without escapes and of this text
  std::optional<std::int64_t> integer() const;  ///< of a number with an integral value

 private:
  explicit JsonView(std::string_view raw) : raw_(raw) {}

  /// Walks the members or elements between the brackets of raw_.
  class Walk {
   public:
    explicit Walk(std::string_view raw) : at_(raw.data() + 1), end_(raw.data() + raw.size()) {}
    bool next_member(std::string_view& key, JsonView& value);
    bool next_element(JsonView& value);

   private:
    bool at_end();
    const char* at_;
    const char* end_;
  };

  std::string_view raw_;
};

template <typename Visit>
void JsonView::for_each_member(Visit&& visit) const {
  if (!is(JsonKind::Object)) return;
  Walk walk(raw_);
  std::string_view key;
  JsonView value;
  while (walk.next_member(key, value)) visit(key, value);
}

template <typename Visit>
void JsonView::for_each_element(Visit&& visit) const {
  if (!is(JsonKind::Array)) return;
  Walk walk(raw_);
  JsonView value;
  while (walk.next_element(value)) visit(value);
}

}  // namespace ba
