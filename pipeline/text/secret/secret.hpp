#pragma once
// SPDX-License-Identifier: Apache-2.0
// A text that must not be seen: printing it gives a mask; whoever needs the text says so by
// reveal(). Wiped when destroyed. A value, any thread.

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace ba {

/// Stands in logs and messages where a secret stood.
inline constexpr std::string_view kSecretMask = "***";

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(const Secret&) = default;
  Secret& operator=(const Secret& other);
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  ~Secret();

  bool empty() const { return text_.empty(); }

  /// The text itself: for the place that sends it, never for a log, a message or a file.
  const std::string& reveal() const { return text_; }

  /// What may be shown: a mask, or "" when there is none.
  std::string_view masked() const { return text_.empty() ? "" : kSecretMask; }

  friend bool operator==(const Secret&, const Secret&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Secret& secret) {
    return out << secret.masked();
  }

 private:
  void wipe() noexcept;
  std::string text_;
};

}  // namespace ba
