#pragma once
// SPDX-License-Identifier: Apache-2.0
// A TLS server with a certificate made for the test: for another host, expired, or as it should be.
// Answers each request with an empty 200. Runs on the test's own Asio loop.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <string>

namespace ba {

struct TlsCertificate {
  std::string host = "localhost";
  long valid_seconds = 3600;  ///< from an hour ago; -1800: expired half an hour ago
};

class TlsStub {
 public:
  TlsStub(boost::asio::io_context& io, const TlsCertificate& certificate);

  std::string url() const;
  const std::string& certificate_pem() const { return certificate_pem_; }
  int requests() const { return requests_; }

 private:
  struct Session;
  void accept();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ssl::context tls_;
  std::string certificate_pem_;
  int requests_ = 0;
};

}  // namespace ba
