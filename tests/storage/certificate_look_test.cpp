// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/certificate_look.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_stub.hpp"

namespace ba::storage {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTimeout{300};
constexpr seconds kSoon{30};         ///< far more than that: a busy machine is slow
constexpr milliseconds kPace{50};    ///< of a server that is slow: less than kTimeout
constexpr seconds kServersLife{60};  ///< then it gives up: more than kSoon

/// Takes one client on loopback, says "S" to its SSLRequest and goes on as the test wants.
class Server {
 public:
  explicit Server(std::function<void(int)> then)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    auto* const raw = reinterpret_cast<sockaddr*>(&place);
    if (::bind(listener_, raw, size) != 0 || ::listen(listener_, 5) != 0 ||
        ::getsockname(listener_, raw, &size) != 0)
      throw std::runtime_error("no port on loopback");
    port_ = std::to_string(ntohs(place.sin_port));
    thread_ = std::thread([this, then = std::move(then)] { serve(then); });
  }
  ~Server() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// What libpq says of this server by that name.
  std::string account(const std::string& host) const {
    const std::string address = host == "127.0.0.1" ? "" : " (127.0.0.1)";
    return "connection to server at \"" + host + "\"" + address + ", port " + port_ +
           " failed: SSL error: certificate verify failed\n";
  }

 private:
  void serve(const std::function<void(int)>& then) const {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    std::array<char, 8> request{};
    if (::recv(client, request.data(), request.size(), MSG_WAITALL) == 8 &&
        ::send(client, "S", 1, MSG_NOSIGNAL) == 1)
      then(client);
    ::close(client);
  }

  const int listener_;
  std::string port_;
  std::thread thread_;
};

/// True: the client is gone.
bool left_within(int client, milliseconds time) {
  pollfd one{client, POLLRDHUP, 0};
  return ::poll(&one, 1, static_cast<int>(time.count())) > 0;
}

void never_answer(int client) { left_within(client, kServersLife); }

/// A record of the handshake, one byte after the other: each comes before a time-out of its own.
void answer_for_ever(int client) {
  constexpr std::array<unsigned char, 5> kRecord{0x16, 3, 3, 0x40, 0};  // of 16 KiB, says its head
  ::send(client, kRecord.data(), kRecord.size(), MSG_NOSIGNAL);
  const auto give_up = Clock::now() + kServersLife;
  while (Clock::now() < give_up && !left_within(client, kPace)) ::send(client, "", 1, MSG_NOSIGNAL);
}

int keep_name(SSL* tls, int*, void* name) {
  const char* const given = SSL_get_servername(tls, TLSEXT_NAMETYPE_host_name);
  static_cast<std::promise<std::string>*>(name)->set_value(given ? given : "");
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Reads the client's first message, and no more.
void read_name(int client, std::promise<std::string>& name) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()),
                                                                  &SSL_CTX_free);
  SSL_CTX_set_tlsext_servername_callback(context.get(), &keep_name);
  SSL_CTX_set_tlsext_servername_arg(context.get(), &name);
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), &SSL_free);
  SSL_set_fd(tls.get(), client);
  SSL_accept(tls.get());
}

class CertificateLook : public ::testing::Test {
 protected:
  CertificateLook() {
    boost::asio::io_context io;
    const TlsStub authority(io, {});
    std::ofstream(directory_.path() / "ca.pem") << authority.certificate_pem();
  }

  std::string look(const std::string& account, milliseconds timeout) const {
    return certificate_look(account, "sslrootcert=" + (directory_.path() / "ca.pem").string(),
                            timeout);
  }

  std::string name_told(const std::string& host) const {
    std::promise<std::string> name;
    auto told = name.get_future();
    const Server server([&name](int client) { read_name(client, name); });
    look(server.account(host), kServersLife);
    return told.wait_for(seconds(0)) == std::future_status::ready ? told.get() : "(not asked)";
  }

  const TemporaryDirectory directory_;
};

TEST_F(CertificateLook, EndsInTimeWhateverTheServerDoes) {
  for (const auto& then : {&never_answer, &answer_for_ever}) {
    const Server server(then);
    const auto began = Clock::now();
    EXPECT_EQ(look(server.account("localhost"), kTimeout), "");
    EXPECT_LT(Clock::now() - began, kSoon);
    EXPECT_GE(Clock::now() - began, kTimeout);
  }
}

TEST_F(CertificateLook, NamesTheServerInTheHandshakeAsTheConnectionDid) {
  EXPECT_EQ(name_told("db.example"), "db.example");
  EXPECT_EQ(name_told("127.0.0.1"), "");
}

TEST_F(CertificateLook, AsksNobodyWhereTheAccountNamesNoServer) {
  EXPECT_EQ(look("certificate verify failed", kTimeout), "");
}

}  // namespace
}  // namespace ba::storage
