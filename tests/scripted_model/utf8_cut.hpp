#pragma once
// SPDX-License-Identifier: Apache-2.0
// The few things this program needs to know about UTF-8. Pure functions.

#include <cstddef>
#include <string>
#include <string_view>

namespace ba::scripted {

/// Whether the bytes are well-formed UTF-8.
bool is_utf8(std::string_view bytes);

void append_utf8(std::string& out, unsigned code_point);

/// The largest length <= `wanted` that does not cut a character of `text` in two; at least one
/// whole character when there is one.
std::size_t whole_characters(std::string_view text, std::size_t wanted);

}  // namespace ba::scripted
