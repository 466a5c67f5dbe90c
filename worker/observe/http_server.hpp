#pragma once
// SPDX-License-Identifier: Apache-2.0
// A small HTTP server on a thread of its own for /metrics, /healthz and /readyz. Made for hostile
// clients: bounded connections, header size and time per request; no body is read. Owned by the
// process; created and destroyed on one thread.

#include <functional>
#include <memory>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"

namespace ba::observe {

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;  ///< 0: a free one
  /// One more closes the connection that has owed a request for longest; 503 if none does.
  std::size_t connections_max = 64;
  std::size_t header_bytes_max = 8 * 1024;
  Milliseconds request_timeout{5'000};  ///< to send a request, and to take the answer
};

class HttpServer {
 public:
  /// Answers GET of a path (without its query); none: 404. Called on the server's thread; must be
  /// quick. What it throws becomes a 500.
  using Handler = std::function<bool(const std::string& path, HttpAnswer& answer)>;

  /// Listens before it returns; fails when the address can't be bound.
  static Result<std::unique_ptr<HttpServer>> start(const HttpServerOptions& options,
                                                   Handler handler);
  ~HttpServer();  ///< closes every connection and joins the thread
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

 private:
  struct Parts;
  explicit HttpServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace ba::observe
