#pragma once
// SPDX-License-Identifier: Apache-2.0
// What to say of a word of the command line that nothing expected: it, and the nearest known one.
// Inside worker/cli; knows CLI11 as parse_arguments does.

#include <CLI/App.hpp>
#include <optional>
#include <string>

namespace ba {

/// After a parse that failed: the message for the first word that was not understood; none when
/// every word was.
std::optional<std::string> unknown_word_message(const CLI::App& app);

/// The command that the line names, as far as it was understood; `app` itself if it names none.
const CLI::App& deepest_parsed(const CLI::App& app);

/// "ba-agent topics create": the command that the line names, as far as it was understood.
std::string full_name_of_command(const CLI::App& app);

}  // namespace ba
