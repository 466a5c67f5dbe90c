#pragma once
// SPDX-License-Identifier: Apache-2.0
// Keeps secrets out of the log and of messages: the texts that the configuration knows as secrets,
// and whatever looks like one (secret_forms.hpp). Immutable; any thread; a text without a secret is
// not copied.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

class Redaction {
 public:
  /// Texts shorter than 6 bytes are left out: they would mask half of every line. Of what a URL or
  /// a JSON text writes in another way (%40, \"), that form is masked, too.
  explicit Redaction(std::vector<std::string> secrets);

  /// The text with "***" in place of what must not be seen; none when there is nothing of it.
  std::optional<std::string> cleaned(std::string_view text) const;

  /// Likewise, but of known secrets only: for content that must not be altered for its form.
  std::optional<std::string> without_known(std::string_view text) const;

  std::string clean(std::string_view text) const {
    auto out = cleaned(text);
    return out ? *std::move(out) : std::string(text);
  }

 private:
  std::vector<std::string> secrets_;
};

}  // namespace ba
