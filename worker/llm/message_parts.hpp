#pragma once
// SPDX-License-Identifier: Apache-2.0
// What all protocols do with messages and numbers. Pure functions.

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "pipeline/text/message/message.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {

/// That its messages can be sent; those that stood in a request before aren't looked at again.
Result<void> check_history(const ModelRequest& request);

/// Behind an empty line, where both say something.
void add_paragraph(std::string& text, std::string_view more);

/// A text that write_json() writes as a JSON string.
struct Quoted {
  std::string_view text;
};

/// Appends JSON in parts: texts and characters are JSON already; numbers get the shortest form that
/// reads back the same.
template <typename... Parts>
void write_json(std::string& out, const Parts&... parts) {
  const auto write = [&out](const auto& part) {
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::is_same_v<Part, Quoted>) {
      append_json_string(out, part.text);
    } else if constexpr (std::is_arithmetic_v<Part> && !std::is_same_v<Part, char>) {
      std::array<char, 32> digits;
      out.append(digits.data(), std::to_chars(digits.begin(), digits.end(), part).ptr);
    } else {
      out += part;
    }
  };
  (write(parts), ...);
}

/// To an object that has begun, behind a comma where something stands before.
void append_member(std::string& object, std::string_view key, std::string_view value);

/// The text as a JSON string.
std::string json_string(std::string_view text);

/// Nothing visible is in it.
bool is_blank(std::string_view text);

/// What is sent as the user's where a provider needs somebody to speak and nobody did: before a
/// history that the assistant began, as one that was imported may (Anthropic refuses it otherwise,
/// and so do the templates of many servers), and between two replies the second of which begins
/// with thinking (Anthropic refuses thinking behind other blocks). The history itself stays as it
/// is.
inline constexpr std::string_view kUserOpening = "[The assistant began this conversation.]";
inline constexpr std::string_view kUserBetween = "[The assistant went on by itself.]";

// Whether a provider is asked to hold the model to the schema of a job's answers by its own means.
// What it answers is checked all the same. Pure functions.

/// `auto` is native at the protocols' owners, whose documents have it together with tools, and off
/// elsewhere. A compatible server (quirks) is asked only where no tools are offered: there the
/// schema wins, and the model calls none. Schemas that a provider refuses are left to
/// the check: at OpenAI those of no object, at Anthropic those that aren't closed
/// (closed_form.hpp).
StructuredOutput structured_output(const ModelRequest& request, const ProtocolContext& context);

}  // namespace ba::llm
