#pragma once
// SPDX-License-Identifier: Apache-2.0
// A result that is too large to be held: a tool puts its items away in chunks while they come, and
// gives back where they are and the first of them. Nobody can read the chunks before an artifact
// names them. Values, and a port; the port on the control thread only.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "pipeline/base/error.hpp"

namespace ba {

/// What a tool holds of one result, in bytes of JSON; more is put away in chunks, or isn't read
/// where nothing is kept. So large a result becomes an artifact at every level.
inline constexpr std::int64_t kHeldBytesMax = 1024 * 1024;

/// A text that may be large: copies share it.
class SharedText {
 public:
  SharedText() : SharedText(std::string()) {}
  SharedText(std::string text)  // NOLINT: whoever has a text has this
      : text_(std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}  // NOLINT

  const std::string& text() const { return *text_; }
  operator const std::string&() const { return *text_; }  // NOLINT

  friend bool operator==(const SharedText& a, const SharedText& b) { return *a.text_ == *b.text_; }

 private:
  std::shared_ptr<const std::string> text_;
};

/// Items of an array: `count` from `first` on, of `total`.
struct ItemRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t total = 0;  ///< of a question: 0

  friend bool operator==(const ItemRange&, const ItemRange&) = default;
};

/// Some items of an array, in their order.
struct DataChunk {
  int index = 0;                ///< from 0
  std::int64_t first_item = 0;  ///< its first one's place in the array, from 0
  std::int64_t items = 0;
  std::string data;  ///< compact JSON of the items, with commas between them

  friend bool operator==(const DataChunk&, const DataChunk&) = default;
};

/// What came of one result: an array that is "[", its chunks with commas between them, "]".
struct ChunkedData {
  std::string upload;     ///< names the chunks
  int chunks = 0;         ///< how many there are
  std::string beginning;  ///< a JSON array of the first items
  std::int64_t items = 0;
  std::int64_t bytes = 0;  ///< of the array
  std::string hash;        ///< its SHA-256, hexadecimal digits

  friend bool operator==(const ChunkedData&, const ChunkedData&) = default;
};

/// Where one run of a call puts the chunks of its result.
class ChunkSink {
 public:
  virtual ~ChunkSink() = default;

  /// Of the whole result: more is not kept.
  virtual std::int64_t bytes_max() const = 0;

  /// Takes out of an item what must never be kept. Any thread.
  virtual void clean(std::string& item) const { static_cast<void>(item); }

  /// The chunks' name, told once the chunk is durable. Each index once.
  virtual void put(DataChunk chunk, Completion<std::string> done) = 0;
};

}  // namespace ba
