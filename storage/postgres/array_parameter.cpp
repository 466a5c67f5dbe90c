// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/array_parameter.hpp"

#include "pipeline/base/assert.hpp"

namespace ba::storage {
namespace {

void put_integer(std::string& out, std::int64_t value, int size) {
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> static_cast<unsigned>(shift));
}

}  // namespace

void BinaryArray::append_null() {
  put_integer(elements_, -1, 4);
  holds_null_ = true;
  ++count_;
}

void BinaryArray::append_bytes(std::string_view bytes) {
  put_integer(elements_, static_cast<std::int64_t>(bytes.size()), 4);
  elements_ += bytes;
  ++count_;
}

void BinaryArray::append_integer(std::int64_t value, int size) {
  const std::int64_t limit = size < 8 ? std::int64_t{1} << (8 * size - 1) : INT64_MAX;
  BA_ASSERT(size == 8 || (-limit <= value && value < limit));
  put_integer(elements_, size, 4);
  put_integer(elements_, value, size);
  ++count_;
}

// src/backend/utils/adt/arrayfuncs.c, array_recv: dimensions, null flag, element type, then length
// and lower bound of the one dimension, then the elements.
std::string BinaryArray::encode(PgType type) const {
  std::string bytes;
  bytes.reserve(elements_.size() + 20);
  put_integer(bytes, count_ == 0 ? 0 : 1, 4);
  put_integer(bytes, holds_null_ ? 1 : 0, 4);
  put_integer(bytes, static_cast<std::int64_t>(type), 4);
  if (count_ == 0) return bytes;
  put_integer(bytes, count_, 4);
  put_integer(bytes, 1, 4);
  bytes += elements_;
  return bytes;
}

}  // namespace ba::storage
