#pragma once
// SPDX-License-Identifier: Apache-2.0
// Why libpq couldn't connect, by its text: it gives no code. What is said names files, hosts and
// the remedy, and repeats what libpq and the server quote only where it can't be part of a
// password. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>

namespace ba::storage {

/// Error::detail of a connection whose TLS failed.
inline constexpr const char* kTlsDetail = "TLS_FAILED";

/// Why the TLS of a connection failed. None of it is mended by waiting.
enum class TlsFault {
  Untrusted,      ///< the server's certificate; certificate_look.hpp says why
  WrongHost,      ///< it is for another name
  NoTls,          ///< the server has none
  ClientRefused,  ///< the server wants a client's certificate, or another one
  File,           ///< one of the client's files can't be used
  Handshake,      ///< anything else: no protocol in common, …
};

struct TlsFailure {
  TlsFault fault = TlsFault::Handshake;
  std::string words;  ///< what is wrong and what mends it, on one line
};

/// None: what failed isn't TLS. `url` is what was connected to.
std::optional<TlsFailure> tls_failure(std::string_view account, const std::string& url);

/// libpq's account without where it connected to, and without texts in quotes that aren't plain
/// names, on one line.
std::string words_of_account(std::string_view account);

/// Whether a name may be repeated: letters, digits, blanks, ._/:-+ and nothing else.
bool is_plain_name(std::string_view text);

/// How a connection to `url` is protected, "encrypted (TLS), its certificate and host name
/// verified": `encrypted` is what libpq says of the connection that is open.
std::string protection_words(bool encrypted, const std::string& url);

}  // namespace ba::storage
