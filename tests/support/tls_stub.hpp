#pragma once
// SPDX-License-Identifier: Apache-2.0
// A TLS server with a certificate made for the test: for another host, expired, or as it should be.
// Answers each request with an empty 200, or reads only. Runs on the test's own Asio loop.

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <string>

namespace ba {

struct TlsCertificate {
  std::string host = "localhost";
  long valid_seconds = 3600;  ///< from an hour ago; -1800: expired half an hour ago
  bool silent = false;        ///< its server reads, and answers nothing
};

class TlsStub {
 public:
  TlsStub(boost::asio::io_context& io, const TlsCertificate& certificate);

  std::string url() const;
  const std::string& certificate_pem() const { return certificate_pem_; }
  int requests() const { return requests_; }
  std::int64_t bytes() const { return bytes_; }  ///< that were read; any thread

 private:
  struct Session;
  void accept();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ssl::context tls_;
  std::string certificate_pem_;
  int requests_ = 0;
  std::atomic<std::int64_t> bytes_{0};
  const bool silent_;
};

}  // namespace ba
