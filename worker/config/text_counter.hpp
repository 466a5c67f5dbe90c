#pragma once
// SPDX-License-Identifier: Apache-2.0
// What counts the tokens of texts as a profile says: an encoding that comes with the program, or a
// file of a tokenizer. One thread each.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/text/token/token_profile.hpp"

namespace ba::config {

struct LoadedConfig;

using TextCounter = std::function<std::int64_t(std::string_view)>;

/// Fails where a file can't be used or an encoding isn't known, with its name and why.
Result<TextCounter> text_counter(const TokenProfile& profile);

/// One for each configured model, by its configured name; those of one tokenizer share it. The
/// error names the model.
Result<std::map<std::string, TextCounter>> text_counters(const LoadedConfig& loaded);

}  // namespace ba::config
