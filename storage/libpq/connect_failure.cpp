// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/connect_failure.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "storage/libpq/conninfo.hpp"

namespace ba::storage {
namespace {

constexpr std::size_t kWordsMax = 400;

std::string one_line(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    const bool blank = letter == '\n' || letter == '\t' || letter == ' ';
    if (!blank) line += letter;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line.substr(0, kWordsMax);
}

/// What stands in quotes behind `opening`; empty: nothing, or no plain text.
std::string named_behind(std::string_view account, std::string_view opening) {
  const std::size_t at = account.find(opening);
  if (at == account.npos) return {};
  const std::size_t begin = account.find('"', at);
  const std::size_t end = begin == account.npos ? begin : account.find('"', begin + 1);
  if (end == account.npos) return {};
  const std::string_view name = account.substr(begin + 1, end - begin - 1);
  return is_plain_name(name) ? std::string(name) : std::string();
}

/// The file that a keyword names, or that libpq takes for it.
std::string file_of(const std::string& url, const char* keyword, const char* usual) {
  std::string file = conninfo_value(url, keyword);
  if (!file.empty()) return file;
  const char* const home = std::getenv("HOME");
  return (home != nullptr ? std::string(home) : "~") + "/.postgresql/" + usual;
}

std::string mode_of(const std::string& url) { return "sslmode=" + conninfo_value(url, "sslmode"); }

struct FaultRow {
  std::string_view fragment;
  TlsFault fault;
};

// libpq 15, fe-secure-openssl.c, fe-connect.c; then OpenSSL's names of alerts. The first that fits.
constexpr std::array kFaults{
    FaultRow{"server does not support SSL", TlsFault::NoTls},
    FaultRow{"does not match host name", TlsFault::WrongHost},
    FaultRow{"host name must be specified for a verified SSL", TlsFault::WrongHost},
    FaultRow{"root certificate file \"", TlsFault::File},
    FaultRow{"could not read root certificate file", TlsFault::File},
    FaultRow{"could not read certificate file", TlsFault::File},
    FaultRow{"could not open certificate file", TlsFault::File},
    FaultRow{"certificate present, but not private key file", TlsFault::File},
    FaultRow{"private key file \"", TlsFault::File},
    FaultRow{"could not load private key file", TlsFault::File},
    FaultRow{"certificate does not match private key file", TlsFault::File},
    FaultRow{"certificate verify failed", TlsFault::Untrusted},
    FaultRow{"requires a valid client certificate", TlsFault::ClientRefused},
    FaultRow{"certificate authentication failed", TlsFault::ClientRefused},
    FaultRow{"alert certificate required", TlsFault::ClientRefused},
    FaultRow{"alert unknown ca", TlsFault::ClientRefused},
    FaultRow{"alert bad certificate", TlsFault::ClientRefused},
    FaultRow{"alert certificate", TlsFault::ClientRefused},
    FaultRow{"alert unsupported certificate", TlsFault::ClientRefused},
    FaultRow{"alert decrypt error", TlsFault::ClientRefused},
    FaultRow{"SSL error: unregistered scheme", TlsFault::Handshake},
    FaultRow{"alert protocol version", TlsFault::Handshake},
    FaultRow{"alert handshake failure", TlsFault::Handshake},
    FaultRow{"unsupported protocol", TlsFault::Handshake},
    FaultRow{"no protocols available", TlsFault::Handshake},
    FaultRow{"wrong version number", TlsFault::Handshake},
    FaultRow{"could not set minimum SSL protocol", TlsFault::Handshake},
    FaultRow{"could not set maximum SSL protocol", TlsFault::Handshake}};

std::string wrong_host_words(std::string_view account) {
  const std::string own = named_behind(account, "server certificate for");
  const std::string wanted = named_behind(account, "host name \"");
  return "the server's certificate is for " + (own.empty() ? "another name" : own) +
         (wanted.empty() ? "" : ", not for " + wanted) +
         ": connect by the name in the certificate, or give the server one for this name "
         "(sslmode=verify-ca asks for no name)";
}

std::string file_words(std::string_view account, const std::string& url) {
  if (account.find("root certificate file") != account.npos)
    return "the file of the authorities that are trusted, " +
           file_of(url, "sslrootcert", "root.crt") +
           ", is missing or can't be read: correct sslrootcert, or put the certificate of the "
           "server's authority there, in PEM";
  const bool key = account.find("private key") != account.npos;
  const std::string file =
      key ? file_of(url, "sslkey", "postgresql.key") : file_of(url, "sslcert", "postgresql.crt");
  if (account.find("has group or world access") != account.npos)
    return "others may read the client's key " + file + ", so it isn't used: chmod 600 " + file;
  return std::string("the client's ") + (key ? "key " : "certificate ") + file +
         " can't be used, or doesn't fit its " + (key ? "certificate" : "key") + ": correct " +
         (key ? "sslkey" : "sslcert") + ", or put a readable PEM file there";
}

std::string client_words(const std::string& url) {
  const std::string given = conninfo_value(url, "sslcert");
  return given.empty()
             ? "the server wants a client's certificate: set sslcert and sslkey"
             : "the server refuses the client's certificate " + given +
                   ": renew it, or let its authority be among those that the server trusts "
                   "(ssl_ca_file there)";
}

std::string words_of(TlsFault fault, std::string_view account, const std::string& url) {
  switch (fault) {
    case TlsFault::Untrusted:
      return "the server's certificate can't be verified with " +
             file_of(url, "sslrootcert", "root.crt") +
             ": it has expired, or sslrootcert must name the certificate of its authority";
    case TlsFault::WrongHost:
      return wrong_host_words(account);
    case TlsFault::NoTls:
      return "the server has no TLS, and " + mode_of(url) +
             " demands it: set ssl = on there, or sslmode=disable where the way to it is trusted";
    case TlsFault::ClientRefused:
      return client_words(url);
    case TlsFault::File:
      return file_words(account, url);
    case TlsFault::Handshake:
      break;
  }
  return "the server and this client can't agree on TLS: see ssl_min_protocol_version and "
         "ssl_ciphers there";
}

/// Without "connection to server at "…" (…), port 5432 failed: ".
std::string_view without_place(std::string_view account) {
  constexpr std::string_view kPlace = "connection to server ";
  constexpr std::string_view kFailed = " failed: ";
  const std::size_t place = account.find(kPlace);
  const std::size_t failed = account.find(kFailed);
  if (place == account.npos || failed == account.npos || failed < place) return account;
  return account.substr(failed + kFailed.size());
}

}  // namespace

bool is_plain_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return (letter > 0 && std::isalnum(static_cast<unsigned char>(letter))) ||
           std::string_view("._/:-+ ").find(letter) != std::string_view::npos;
  });
}

std::optional<TlsFailure> tls_failure(std::string_view account, const std::string& url) {
  for (const FaultRow& row : kFaults)
    if (account.find(row.fragment) != account.npos)
      return TlsFailure{row.fault, words_of(row.fault, account, url)};
  return std::nullopt;
}

std::string words_of_account(std::string_view account) {
  std::string_view rest = without_place(account);
  std::string out;
  while (true) {
    const std::size_t open = std::min(rest.find('"'), rest.size());
    out += rest.substr(0, open);
    if (open == rest.size()) return one_line(out);
    const std::size_t close = rest.find('"', open + 1);
    if (close == rest.npos) return one_line(out + "\"…\"");
    const std::string_view quoted = rest.substr(open, close + 1 - open);
    out += is_plain_name(quoted.substr(1, quoted.size() - 2)) ? std::string(quoted) : "\"…\"";
    rest.remove_prefix(close + 1);
  }
}

std::string protection_words(bool encrypted, const std::string& url) {
  const std::string host = conninfo_value(url, "host");
  const bool named = !host.empty() || !conninfo_value(url, "hostaddr").empty();
  if (!named || host.starts_with('/') || host.starts_with('@')) return "over a local socket";
  if (!encrypted) return "not encrypted";
  const std::string mode = conninfo_value(url, "sslmode");
  if (mode == "verify-full") return "encrypted (TLS), certificate and host name verified";
  if (mode == "verify-ca") return "encrypted (TLS), certificate verified, host name not";
  return "encrypted (TLS), certificate not verified (sslmode=" + mode + "; verify-full verifies)";
}

}  // namespace ba::storage
