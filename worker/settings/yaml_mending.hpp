#pragma once
// SPDX-License-Identifier: Apache-2.0
// What yaml-cpp 0.7.0 gets wrong or says in words that lead astray. Pure functions, any thread.

#include <string>
#include <string_view>

namespace ba::settings {

/// A scalar as yaml-cpp gives it of a text that is UTF-8, but for a defect (Exp::Escape in its
/// src/exp.cpp): the escapes \N and \_ become the bytes 0x85 and 0xA0 alone. Here they are U+0085
/// and U+00A0.
std::string with_whole_escapes(const std::string& scalar);

/// Why a list or map on one line has no end, or one too many: "the list isn't closed: a ] is
/// missing" of "[1, 2", "a ] closes no list" of "{a: b]}". Empty: it is wrong in another way.
std::string unclosed_flow(std::string_view text);

}  // namespace ba::settings
