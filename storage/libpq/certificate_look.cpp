// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/certificate_look.hpp"

#include <netdb.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "storage/libpq/conninfo.hpp"
#include "storage/libpq/failed_server.hpp"

namespace ba::storage {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Release {
  void operator()(addrinfo* found) const { freeaddrinfo(found); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* tls) const { SSL_free(tls); }
};

/// A socket that blocks nobody, and until when it may be waited for at all.
class Line {
 public:
  Line(const addrinfo& place, Clock::time_point give_up)
      : descriptor_(::socket(place.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
        give_up_(give_up) {}
  ~Line() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  int descriptor() const { return descriptor_; }

  bool wait(short events) const {
    while (true) {
      const auto left = std::chrono::ceil<milliseconds>(give_up_ - Clock::now()).count();
      if (left <= 0) return false;
      pollfd one{descriptor_, events, 0};
      const int ready = ::poll(&one, 1, static_cast<int>(left));
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
  }

  bool connect(const addrinfo& place) const {
    if (::connect(descriptor_, place.ai_addr, place.ai_addrlen) == 0) return true;
    if (errno != EINPROGRESS || !wait(POLLOUT)) return false;
    int failure = 0;
    socklen_t size = sizeof failure;
    return ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0;
  }

 private:
  const int descriptor_;
  const Clock::time_point give_up_;
};

/// PostgreSQL's SSLRequest, and "S" for an answer.
bool begins_tls(const Line& line) {
  constexpr std::array<unsigned char, 8> kRequest{0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f};
  char answer = 0;
  return ::send(line.descriptor(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) ==
             static_cast<ssize_t>(kRequest.size()) &&
         line.wait(POLLIN) && ::recv(line.descriptor(), &answer, 1, 0) == 1 && answer == 'S';
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

void shake_hands(SSL& tls, const Line& line) {
  while (true) {
    const int wants = SSL_get_error(&tls, SSL_connect(&tls));
    const bool goes_on = wants == SSL_ERROR_WANT_READ    ? line.wait(POLLIN)
                         : wants == SSL_ERROR_WANT_WRITE ? line.wait(POLLOUT)
                                                         : false;
    if (!goes_on) return;
  }
}

/// What OpenSSL makes of the certificate; the handshake itself may fail.
long verdict_of(const Line& line, const std::string& name, const std::string& file) {
  const std::unique_ptr<SSL_CTX, Release> context(SSL_CTX_new(TLS_client_method()));
  if (!context || SSL_CTX_load_verify_locations(context.get(), file.c_str(), nullptr) != 1)
    return X509_V_OK;
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  const std::unique_ptr<SSL, Release> tls(SSL_new(context.get()));
  if (!tls || SSL_set_fd(tls.get(), line.descriptor()) != 1) return X509_V_OK;
  if (!name.empty() && SSL_set_tlsext_host_name(tls.get(), name.c_str()) != 1) return X509_V_OK;
  shake_hands(*tls, line);
  return SSL_get_verify_result(tls.get());
}

std::unique_ptr<addrinfo, Release> place_of(const FailedServer& server) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;  // asks nobody
  addrinfo* found = nullptr;
  if (getaddrinfo(server.address.c_str(), server.port.c_str(), &wanted, &found) != 0) return {};
  return std::unique_ptr<addrinfo, Release>(found);
}

std::string authorities_of(const std::string& url) {
  const std::string file = conninfo_value(url, "sslrootcert");
  const char* const home = std::getenv("HOME");
  return file.empty() ? std::string(home != nullptr ? home : "") + "/.postgresql/root.crt" : file;
}

}  // namespace

std::string certificate_look(std::string_view account, const std::string& url,
                             milliseconds timeout) {
  const auto give_up = Clock::now() + timeout;
  const auto server = server_that_failed(account, "certificate verify failed", url);
  if (!server) return "";
  const auto place = place_of(*server);
  if (!place) return "";
  const Line line(*place, give_up);
  if (!line.connect(*place) || !begins_tls(line)) return "";
  const std::string file = authorities_of(url);
  return words_of(verdict_of(line, name_for_handshake(*server, url), file), file);
}

}  // namespace ba::storage
