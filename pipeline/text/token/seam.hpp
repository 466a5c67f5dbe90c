#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where a piece can be cut before it is encoded: at a seam, a place between two characters that no
// token can lie across. What is on both sides is then encoded each for itself, and stays short
// where a script has no blanks. Values; any thread.

#include <cstddef>
#include <cstdint>
#include <span>

namespace ba {

/// So many bits tell which bytes stand together within tokens.
inline constexpr std::size_t kJoints = std::size_t{1} << 20;

/// What is around a place before a character of two bytes or more: the two bytes before it and the
/// first two of the character, as they are in memory. One of ASCII before it is alone.
constexpr std::uint32_t joint_key(std::uint32_t two_before, std::uint32_t before,
                                  std::uint32_t first, std::uint32_t second) {
  return (before < 0x80 ? 0 : two_before) | before << 8 | first << 16 | second << 24;
}
/// Which bit is that of a key. Some keys share theirs.
constexpr std::size_t joint_place(std::uint32_t key) {
  return static_cast<std::size_t>(key * std::uint64_t{0x9e37'79b9'7f4a'7c15} >> 44);
}
static_assert(joint_place(0xffff'ffff) < kJoints);

class Seams {
 public:
  /// The joints of a vocabulary's tables, which outlive this.
  explicit Seams(std::span<const std::uint64_t> joints) : joints_(joints.data()) {}

  /// Whether a seam is before the character at `at`, which isn't ASCII and isn't the text's first.
  /// Without a branch that nobody can foresee.
  [[gnu::always_inline]] bool before(const char* at) const {
    const std::ptrdiff_t back = static_cast<signed char>(at[-1]) >= 0 ? 1 : 2;
    const std::uint32_t key = joint_key(byte(at[-back]), byte(at[-1]), byte(at[0]), byte(at[1]));
    const std::size_t place = joint_place(key);
    return (joints_[place / 64] >> (place % 64) & 1) == 0;
  }

 private:
  static std::uint32_t byte(char c) { return static_cast<unsigned char>(c); }

  const std::uint64_t* joints_;
};

}  // namespace ba
