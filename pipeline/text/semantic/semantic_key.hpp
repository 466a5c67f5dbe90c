#pragma once
// SPDX-License-Identifier: Apache-2.0
// The key of a call by what it means. It holds no tool_call_id, so it is the same across steps,
// rounds, jobs, retries and workers; and the digests that it is made of. Pure; any thread.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

/// Bytes of a digest as people read them: two lower-case digits a byte.
inline std::string hex_of(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

/// What makes two calls the same one.
struct CallMeaning {
  std::string tool;
  std::string tool_version;
  std::string tenant;
  std::optional<std::string> caller;  ///< none: the tool's results are the whole tenant's
  std::string permission;             ///< what was cached for one isn't shown to another
  std::string parameters;             ///< canonical JSON of semantic_parameters()
  std::string idempotency_key;        ///< where given, it stands in the place of the parameters
};

struct SemanticKey {
  std::string digest;     ///< SHA-256 of `canonical`, 64 lower-case hexadecimal digits
  std::string canonical;  ///< JSON: RFC 8785, integers exact
};

SemanticKey semantic_key(const CallMeaning& call);

/// SHA-256, 64 lower-case hexadecimal digits.
std::string sha256_hex_of(std::string_view text);

/// The SHA-256 of a content that comes in pieces. One thread.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(std::string_view text);

  /// Of all that was added, as sha256_hex_of() has it. Once, at the end.
  std::string hex();

  /// Of all that was added and `rest` behind it. More can be added; `rest` isn't.
  std::string hex_with(std::string_view rest) const;

 private:
  struct Digest;
  std::unique_ptr<Digest> digest_;
};

/// The version of a tool that is set up: what was kept of it isn't given when it asks somebody
/// else. "VERSION+DIGEST", as https://semver.org has build metadata: eight hexadecimal digits of
/// the SHA-256 of what its results depend on beside a call's parameters. No passwords, please: weak
/// ones could be found by trying.
std::string configured_version(std::string_view version,
                               const std::vector<std::string>& depends_on);

}  // namespace ba
