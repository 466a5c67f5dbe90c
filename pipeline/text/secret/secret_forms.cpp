// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/secret_forms.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace ba {
namespace {

constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kTokenBytesMin = 8;  // shorter ones are words
constexpr std::string_view kBlank = " \t";

bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }
bool is_alnum(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }
bool is_upper(char letter) { return std::isupper(static_cast<unsigned char>(letter)) != 0; }
bool is_token(char letter) {
  return is_alnum(letter) || std::string_view("-_.~+/=").find(letter) != std::string_view::npos;
}
bool is_name(char letter) {
  return is_alnum(letter) || letter == '_' || letter == '-' || letter == '.';
}

/// "Authorization", "Proxy-Authorization", in any case.
bool is_authorization(std::string_view name) {
  constexpr std::string_view kWord = "authorization";
  if (name.size() < kWord.size()) return false;
  const std::string_view tail = name.substr(name.size() - kWord.size());
  return std::equal(tail.begin(), tail.end(), kWord.begin(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

/// How this program begins to say what is wrong with a setting: "…api_key: unknown key; did you
/// mean". A secret without quotes ends at a blank, and each of these has one: what could be left of
/// a secret is a first word, in English, of one that goes on like ours.
constexpr std::array<std::string_view, 20> kExplanations{
    "the file is empty: ", "unknown key; ", "is a list; must be ", "is a map; must be ",
    "is not known to librdkafka", "is not valid UTF-8: byte ", "is no name of a header",
    "has a control character", "holds a NUL character, ", "must be a text", "must be a map of ",
    "can't be read as a list or map: ", "can't read ",
    // Behind the name of a file: "can't read /run/secrets/api_key: …".
    "No such file or directory", "Permission denied", "Is a directory", "Not a directory",
    "Too many levels of symbolic links", "it is no regular file", "larger than "};

/// `text` is what follows "name: ".
bool explains(std::string_view text, std::string_view name) {
  for (const std::string_view beginning : kExplanations)
    if (text.starts_with(beginning)) return true;
  const std::string key(name.substr(name.rfind('.') + 1));
  return text.starts_with(key + " and " + key + "_file are both set");
}

/// The letters at which some form can be told: "://", "name:", "name=", "Bearer ", "Basic ", "sk-".
constexpr std::array<bool, 256> kTriggers = [] {
  std::array<bool, 256> table{};
  for (const char letter : {':', '=', 'B', 'b', 's'})
    table[static_cast<unsigned char>(letter)] = true;
  return table;
}();

/// Reads one text from left to right; each form is a function that answers with its span.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<SecretSpan> scan() {
    for (std::size_t at = 0; at < text_.size();) {
      const bool trigger = kTriggers[static_cast<unsigned char>(text_[at])];
      const std::optional<SecretSpan> span = trigger ? span_at(at) : std::nullopt;
      if (span && span->begin < span->end) {
        spans_.push_back(*span);
        at = span->end;
      } else {
        ++at;
      }
    }
    return std::move(spans_);
  }

 private:
  std::optional<SecretSpan> span_at(std::size_t at) const {
    const std::string_view rest = text_.substr(at);
    if (rest.starts_with("://")) return user_info(at);
    if (rest.front() == ':' || rest.front() == '=') {
      const auto value = named_value(at);
      return value || rest.front() == '=' ? value : bare_user_info(at);
    }
    for (const std::string_view scheme : {"Bearer ", "bearer ", "Basic ", "basic ", "sk-"})
      if (rest.starts_with(scheme)) return token(at, at + scheme.size());
    return std::nullopt;
  }

  std::size_t find_first_of(std::string_view letters, std::size_t from) const {
    return std::min(text_.find_first_of(letters, from), text_.size());
  }

  /// "Bearer eyJ…", "sk-…": what follows, when it is long enough to be a key.
  std::optional<SecretSpan> token(std::size_t at, std::size_t begin) const {
    if (at > 0 && is_alnum(text_[at - 1])) return std::nullopt;
    std::size_t end = begin;
    while (end < text_.size() && is_token(text_[end])) ++end;
    if (end - begin < kTokenBytesMin) return std::nullopt;
    return SecretSpan{begin, end};
  }

  /// "scheme://user:password@host": the password. "https://token@host": the token.
  std::optional<SecretSpan> user_info(std::size_t at) const {
    const std::size_t begin = at + 3;
    std::size_t word_end = find_first_of(" \t\r\n\"'<>", begin);
    // The next URL of a list begins behind a comma.
    if (const std::size_t next = text_.find("://", begin); next < word_end)
      word_end = std::max(begin, std::min(text_.rfind(',', next), next));
    const std::string_view word = text_.substr(0, word_end);
    const std::size_t slash = std::min(word.find_first_of("/?#", begin), word.size());
    std::size_t host = word.substr(0, slash).rfind('@');
    const std::size_t colon = std::min(word.find(':', begin), word.size());
    if (host == word.npos || host < begin) {
      if (!slash_in_password(word, colon, slash)) return std::nullopt;
      host = word.rfind('@');
    } else if (colon < host) {
      host = word.rfind('@');  // a password that isn't escaped goes on behind its first "@"
    }
    if (colon < host) return SecretSpan{colon + 1, host};
    const bool http =
        text_.substr(0, at).ends_with("http") || text_.substr(0, at).ends_with("https");
    return http && host - begin >= kTokenBytesMin ? std::optional(SecretSpan{begin, host})
                                                  : std::nullopt;
  }

  /// "user:password@host" without a scheme, as in a list of brokers.
  std::optional<SecretSpan> bare_user_info(std::size_t at) const {
    if (at == 0 || !is_name(text_[at - 1])) return std::nullopt;
    const std::size_t end = find_first_of(" \t\r\n\"'<>/,;(){}@", at + 1);
    const bool host = end + 1 < text_.size() && text_[end] == '@' && is_alnum(text_[end + 1]);
    return host ? std::optional(SecretSpan{at + 1, end}) : std::nullopt;
  }

  /// "u:a/b@h" has a slash that should have been escaped; "h:8080/a@b" has a port.
  static bool slash_in_password(std::string_view word, std::size_t colon, std::size_t slash) {
    if (colon >= slash || word.rfind('@') == word.npos || word.rfind('@') < slash) return false;
    const std::string_view port = word.substr(colon + 1, slash - colon - 1);
    return !std::all_of(port.begin(), port.end(),
                        [](char letter) { return letter >= '0' && letter <= '9'; });
  }

  /// "password=…", "api_key: …", "\"token\": \"…\"": the value behind a secret's name.
  std::optional<SecretSpan> named_value(std::size_t at) const {
    const std::string_view name = name_before(at);
    if (!secret_name(name)) return std::nullopt;
    const std::size_t begin = std::min(text_.find_first_not_of(kBlank, at + 1), text_.size());
    if (text_[at] == ':' && begin == at + 2 && explains(text_.substr(begin), name))
      return std::nullopt;
    if (begin == text_.size() || text_[begin] == text_[at]) return std::nullopt;
    if (text_[begin] == '{' || text_[begin] == '[') return std::nullopt;
    const std::size_t escapes = text_[begin] == '\\' ? 1 : 0;  // JSON inside a JSON text
    const std::size_t quote = begin + escapes;
    const bool in_quotes = quote < text_.size() && (text_[quote] == '"' || text_[quote] == '\'');
    if (in_quotes) return SecretSpan{quote + 1, closing_quote(quote, escapes)};
    if (is_authorization(name)) return header_value(begin);
    return SecretSpan{begin, end_of_plain(begin)};
  }

  std::string_view name_before(std::size_t at) const {
    std::size_t end = at;
    while (end > 0 && kBlank.find(text_[end - 1]) != kBlank.npos) --end;
    if (end > 0 && (text_[end - 1] == '"' || text_[end - 1] == '\'')) --end;
    if (end > 0 && text_[end - 1] == '\\') --end;
    std::size_t begin = end;
    while (begin > 0 && end - begin < kNameBytesMax && is_name(text_[begin - 1])) --begin;
    return text_.substr(begin, end - begin);
  }

  /// Behind the opening quote at `open`; where none closes, the rest of the text belongs to it.
  std::size_t closing_quote(std::size_t open, std::size_t escapes) const {
    for (std::size_t at = open + 1; at < text_.size(); ++at) {
      if (escapes > 0 && text_[at] == '\\' && text_.substr(at + 1).starts_with(text_[open]))
        return at;
      if (text_[at] == '\\') {
        ++at;
      } else if (text_[at] == text_[open]) {
        return at;
      }
    }
    return text_.size();
  }

  std::size_t end_of_plain(std::size_t begin) const {
    std::size_t end = begin;
    while (end < text_.size() &&
           std::string_view(" \t\r\n,;&)}]\"'<>").find(text_[end]) == std::string_view::npos)
      end += text_[end] == '\\' ? 2 : 1;
    return std::min(end, text_.size());
  }

  /// "Authorization: Bearer eyJ…": the scheme may be seen, what follows may not, up to the line's
  /// end.
  SecretSpan header_value(std::size_t begin) const {
    const std::size_t end = find_first_of("\r\n\"'", begin);
    std::size_t scheme = begin;
    while (scheme < end && is_letter(text_[scheme])) ++scheme;
    const bool has_scheme = scheme > begin && scheme < end && text_[scheme] == ' ';
    return {has_scheme ? scheme + 1 : begin, end};
  }

  const std::string_view text_;
  std::vector<SecretSpan> spans_;
};

}  // namespace

std::vector<SecretSpan> secret_spans(std::string_view text) { return Scanner(text).scan(); }

std::string masked(std::string_view text, const std::vector<SecretSpan>& spans,
                   std::string_view mask) {
  std::string out;
  std::size_t done = 0;
  for (const SecretSpan& span : spans) {
    out += text.substr(done, span.begin - done);
    out += mask;
    done = span.end;
  }
  return out += text.substr(done);
}

bool secret_name(std::string_view given) {
  if (given.size() < 5 || given.size() > kNameBytesMax) return false;
  std::array<char, 2 * kNameBytesMax> plain{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char letter = given[i];
    const bool hump =
        i > 0 && is_upper(letter) && !is_upper(given[i - 1]) && is_alnum(given[i - 1]);
    if (hump) plain[size++] = '_';
    const bool mark = letter == '-' || letter == '.';
    plain[size++] =
        mark ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  const std::string_view name(plain.data(), size);
  static constexpr std::array<std::string_view, 13> kEndings{
      "password",   "passwd",      "passphrase", "secret",     "api_key",
      "apikey",     "private_key", "secret_key", "access_key", "authorization",
      "credential", "credentials", "cookie"};
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  return name == "token" || name.ends_with("_token") ||
         std::any_of(kEndings.begin(), kEndings.end(), ends);
}

}  // namespace ba
