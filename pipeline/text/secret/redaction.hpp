#pragma once
// SPDX-License-Identifier: Apache-2.0
// Keeps secrets out of what others read: the texts that are known as secrets, and whatever looks
// like one (secret_forms.hpp). Immutable; any thread; a text without a secret is not copied, unless
// it has codes in which a secret could be written.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

class Redaction {
 public:
  /// Texts shorter than 6 bytes are left out: they would mask half of every line. A secret is also
  /// known as a URL or JSON writes it (%40, \", \u00e4), and as JSON within JSON does. Where two
  /// stand in one another, or overlap, all of both is masked.
  explicit Redaction(std::vector<std::string> secrets);

  /// Knows these texts only as they stand, however short: for words that a server puts in quotes.
  static Redaction of_words(std::vector<std::string> words);

  /// The text with kSecretMask in place of what must not be seen; none when there is nothing of it.
  std::optional<std::string> cleaned(std::string_view text) const;

  /// Likewise, but of known secrets only: for content that must not be altered for its form.
  std::optional<std::string> without_known(std::string_view text) const;

  std::string clean(std::string_view text) const {
    auto out = cleaned(text);
    return out ? *std::move(out) : std::string(text);
  }

 private:
  std::vector<std::string> secrets_;
  std::vector<std::string> coded_;  ///< those of them that URLs and JSON write in another way
  std::vector<std::string> runs_;   ///< of each of these what they write as it is
};

}  // namespace ba
