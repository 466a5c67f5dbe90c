// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/bpe_tables.hpp"

#include <cstring>

#include "pipeline/base/assert.hpp"
#include "pipeline/text/token/seam.hpp"

namespace ba {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view memory) : memory_(memory) {}

  std::string_view next() {
    std::uint64_t size = 0;
    BA_ASSERT(at_ + sizeof size <= memory_.size());
    std::memcpy(&size, memory_.data() + at_, sizeof size);
    at_ += sizeof size;
    BA_ASSERT(at_ + size <= memory_.size());
    const std::string_view part = memory_.substr(at_, size);
    at_ = (at_ + size + 7) / 8 * 8;
    return part;
  }

  template <typename Number>
  std::span<const Number> numbers() {
    const std::string_view part = next();
    return {reinterpret_cast<const Number*>(part.data()), part.size() / sizeof(Number)};
  }

 private:
  std::string_view memory_;
  std::size_t at_ = 0;
};

}  // namespace

BpeTables read_bpe_tables(std::string_view memory) {
  Reader reader(memory);
  BpeTables tables;
  tables.facts = reader.numbers<TokenFacts>();
  tables.keys = reader.numbers<std::uint64_t>();
  tables.begins = reader.numbers<std::uint32_t>();
  tables.bytes = reader.next();
  tables.radix = reader.numbers<TokenPlace>();
  tables.pairs = reader.numbers<std::uint64_t>();
  tables.prefixes = reader.numbers<PrefixRange>();
  tables.places = reader.numbers<TokenPlace>();
  tables.byte_pairs = reader.numbers<std::uint64_t>();
  tables.joints = reader.numbers<std::uint64_t>();
  BA_ASSERT(tables.joints.size() == kJoints / 64);
  return tables;
}

}  // namespace ba
