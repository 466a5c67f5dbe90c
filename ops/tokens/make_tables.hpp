#pragma once
// SPDX-License-Identifier: Apache-2.0
// Makes the tables that the program reads (pipeline/text/token/bpe_tables.hpp). A step of the
// build: the program itself makes none. Pure functions; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace ba {

/// The tables as one piece of memory, for read_bpe_tables(). `tokens` by rank: all 256 single bytes
/// are among them, none twice, each 1 to 255 bytes long.
std::string make_bpe_tables(const std::vector<std::string>& tokens);

/// The tokens of a packed vocabulary: of each, in the order of ranks, its length as a byte, and its
/// bytes.
std::vector<std::string> unpack_vocabulary(std::string_view packed);

}  // namespace ba
