// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/text_pattern.hpp"

#include <oniguruma.h>

#include <array>
#include <optional>
#include <string>

namespace ba {
namespace {

const OnigUChar* bytes(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data());
}

void start_library() {
  static const int started = [] {
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    return onig_initialize(encodings, 1);
  }();
  static_cast<void>(started);
}

std::size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

struct TextPattern::Compiled {
  Compiled() : region(onig_region_new()) {}
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    onig_region_free(region, 1);
    if (regex != nullptr) onig_free(regex);
  }

  std::optional<TextPart> search(std::string_view text, std::size_t from) const {
    const OnigUChar* const begin = bytes(text);
    const OnigUChar* const end = begin + text.size();
    onig_region_clear(region);
    if (onig_search(regex, begin, end, begin + from, end, region, ONIG_OPTION_NONE) < 0)
      return std::nullopt;
    return TextPart{static_cast<std::size_t>(region->beg[0]),
                    static_cast<std::size_t>(region->end[0]), true};
  }

  regex_t* regex = nullptr;
  OnigRegion* const region;
};

TextPattern::TextPattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
TextPattern::TextPattern(TextPattern&&) noexcept = default;
TextPattern& TextPattern::operator=(TextPattern&&) noexcept = default;
TextPattern::~TextPattern() = default;

Result<TextPattern> TextPattern::compiled(std::string_view regex) {
  start_library();
  auto made = std::make_unique<Compiled>();
  OnigErrorInfo info{};
  const int code = onig_new(&made->regex, bytes(regex), bytes(regex) + regex.size(),
                            ONIG_OPTION_NONE, ONIG_ENCODING_UTF8, ONIG_SYNTAX_RUBY, &info);
  if (code == ONIG_NORMAL) return TextPattern(std::move(made));
  std::array<OnigUChar, ONIG_MAX_ERROR_MESSAGE_LEN> text{};
  const int size = onig_error_code_to_str(text.data(), code, &info);
  return invalid_argument(
      std::string(reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(size)));
}

Result<TextPattern> TextPattern::literal(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$#&-~/ \t\n\r\v\f").find(c) != std::string_view::npos)
      escaped += '\\';
    escaped += c;
  }
  return compiled(escaped);
}

std::vector<TextPart> TextPattern::parts(std::string_view text) const {
  std::vector<TextPart> parts;
  std::size_t behind = 0;  // the last match
  for (std::size_t from = 0; from <= text.size();) {
    const std::optional<TextPart> match = compiled_->search(text, from);
    if (!match) break;
    // An empty match where the last one ended would be found without end.
    if (match->begin == match->end && match->end == behind && !parts.empty() &&
        parts.back().matched) {
      from += from < text.size() ? character_size(text[from]) : 1;
      continue;
    }
    if (match->begin > behind) parts.push_back({behind, match->begin, false});
    parts.push_back(*match);
    from = behind = match->end;
  }
  if (behind < text.size()) parts.push_back({behind, text.size(), false});
  return parts;
}

}  // namespace ba
