// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/certificate_look.hpp"

#include <netdb.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "storage/libpq/conninfo.hpp"

namespace ba {
namespace {

using std::chrono::milliseconds;

struct Release {
  void operator()(addrinfo* found) const { freeaddrinfo(found); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* tls) const { SSL_free(tls); }
};

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

std::string first_of(const std::string& list) { return list.substr(0, list.find(',')); }

void bound_waits(int socket, milliseconds timeout) {
  const auto count = timeout.count();
  const timeval limit{count / 1000, (count % 1000) * 1000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool connect_to(const addrinfo& place, int socket, milliseconds timeout) {
  if (socket < 0) return false;
  bound_waits(socket, timeout);
  return ::connect(socket, place.ai_addr, place.ai_addrlen) == 0;
}

/// PostgreSQL's SSLRequest, and "S" for an answer.
bool begins_tls(int socket) {
  constexpr std::array<unsigned char, 8> kRequest{0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f};
  char answer = 0;
  return ::send(socket, kRequest.data(), kRequest.size(), MSG_NOSIGNAL) ==
             static_cast<ssize_t>(kRequest.size()) &&
         ::recv(socket, &answer, 1, 0) == 1 && answer == 'S';
}

std::string words_of(long verdict, const std::string& file) {
  switch (verdict) {
    case X509_V_OK:
      return "";
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "the server's certificate, or its authority's, has expired: renew it there";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "the server's certificate isn't valid yet: set the clocks right, or renew it there";
    case X509_V_ERR_CERT_REVOKED:
      return "the server's certificate is revoked: renew it there";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return "the server's certificate is signed by an authority that isn't in " + file +
             ": set sslrootcert to a file with that authority's certificate";
    default:
      return "the server's certificate can't be verified with " + file + ": " +
             X509_verify_cert_error_string(verdict);
  }
}

/// What OpenSSL makes of the certificate; the handshake itself may fail.
long verdict_of(int socket, const std::string& file) {
  const std::unique_ptr<SSL_CTX, Release> context(SSL_CTX_new(TLS_client_method()));
  if (!context || SSL_CTX_load_verify_locations(context.get(), file.c_str(), nullptr) != 1)
    return X509_V_OK;
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  const std::unique_ptr<SSL, Release> tls(SSL_new(context.get()));
  if (!tls || SSL_set_fd(tls.get(), socket) != 1) return X509_V_OK;
  static_cast<void>(SSL_connect(tls.get()));
  return SSL_get_verify_result(tls.get());
}

}  // namespace

std::string certificate_look(const std::string& url, milliseconds timeout) {
  std::string host = first_of(conninfo_value(url, "hostaddr"));
  if (host.empty()) host = first_of(conninfo_value(url, "host"));
  std::string port = first_of(conninfo_value(url, "port"));
  if (host.empty() || host.starts_with('/')) return "";
  if (port.empty()) port = "5432";
  std::string file = conninfo_value(url, "sslrootcert");
  const char* const home = std::getenv("HOME");
  if (file.empty()) file = std::string(home != nullptr ? home : "") + "/.postgresql/root.crt";
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &wanted, &raw) != 0) return "";
  const std::unique_ptr<addrinfo, Release> found(raw);
  for (const addrinfo* place = found.get(); place != nullptr; place = place->ai_next) {
    const Socket socket(::socket(place->ai_family, place->ai_socktype | SOCK_CLOEXEC, 0));
    if (!connect_to(*place, socket.get(), timeout) || !begins_tls(socket.get())) continue;
    return words_of(verdict_of(socket.get(), file), file);
  }
  return "";
}

}  // namespace ba
