#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tables of the vocabularies that come with the program, which the build has made of
// `vocabulary/`. Constants; any thread.

#include <string_view>

#include "pipeline/text/token/token_counter.hpp"

namespace ba {

/// For read_bpe_tables().
std::string_view shipped_tables(TokenEncoding encoding);

}  // namespace ba
