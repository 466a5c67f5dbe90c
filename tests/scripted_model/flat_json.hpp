#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads JSON without copying it: one pass gives a flat list of nodes that point into the text. Made
// for a server that must be quick and strict, and that compares and hashes what it is sent byte for
// byte. The text must outlive the document; a document may be parsed into again and keeps its
// memory. One thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ba::scripted {

enum class JsonKind : std::uint8_t { Null, False, True, Number, String, Object, Array };

class JsonDocument;

/// A value of a document, or nothing (also what a lookup of a missing member gives).
class JsonValue {
 public:
  JsonValue() = default;
  JsonValue(const JsonDocument& document, std::uint32_t index)
      : document_(&document), index_(index) {}

  explicit operator bool() const { return document_ != nullptr; }
  JsonKind kind() const;
  bool is(JsonKind kind) const { return document_ != nullptr && this->kind() == kind; }
  bool is_bool() const { return is(JsonKind::True) || is(JsonKind::False); }
  bool is_integer() const;  ///< a number without fraction and exponent

  std::string_view raw() const;  ///< the text of the value, strings with their quotes
  std::uint32_t size() const;    ///< elements of an array, members of an object

  void append_text(std::string& out) const;  ///< of a string: unescaped, appended
  std::string text() const;
  bool equals(std::string_view text) const;  ///< a string of exactly this text
  std::int64_t integer() const;              ///< of an integer, saturated
  double number() const;

  /// First child; for an object the value of its first member. Then next(), size() times in all.
  JsonValue first() const;
  JsonValue next() const;
  std::string_view raw_key() const;  ///< of an object's member: the key as written, without quotes
  JsonValue operator[](std::string_view key) const;

 private:
  const JsonDocument* document_ = nullptr;
  std::uint32_t index_ = 0;
};

class JsonDocument {
 public:
  /// Parses one JSON value with nothing but white space around it. False: see problem().
  bool parse(std::string_view text);
  JsonValue root() const { return {*this, 0}; }
  std::string problem() const;  ///< what was wrong and at which byte

 private:
  friend class JsonValue;
  friend class JsonReader;
  struct Node {
    JsonKind kind = JsonKind::Null;
    bool escaped = false;         ///< a string that holds a backslash
    std::uint32_t begin = 0;      ///< first byte of the value
    std::uint32_t end = 0;        ///< one past its last byte
    std::uint32_t key_begin = 0;  ///< of a member, inside the quotes
    std::uint32_t key_end = 0;
    std::uint32_t count = 0;  ///< children
    std::uint32_t after = 0;  ///< index of the node after this one and all below it
  };

  std::string_view text_;
  std::vector<Node> nodes_;
  const char* problem_ = nullptr;
  std::size_t problem_at_ = 0;
};

}  // namespace ba::scripted
