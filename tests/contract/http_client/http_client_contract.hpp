#pragma once
// SPDX-License-Identifier: Apache-2.0
// What every HttpClient does, asked through a rig that each implementation has.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/http/http_client.hpp"

namespace ba {

/// What the server does with a request.
struct ServedReply {
  enum class Then { End, Cut, Rest };
  int status = 200;  ///< 0: nothing comes
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  Then then = Then::End;  ///< the reply is whole; or the connection dies; or nothing follows
};

class HttpClientRig {
 public:
  virtual ~HttpClientRig() = default;

  virtual http::HttpClient& client() = 0;

  /// Of the server, with time limits that no test reaches unless it sets its own.
  virtual http::HttpEndpointConfig server() = 0;

  /// From now on requests get this.
  virtual void serve(const ServedReply& reply) = 0;

  /// From now on nobody listens at the server's address.
  virtual void close_server() = 0;

  /// The bodies of the requests that reached the server.
  virtual std::vector<std::string> requests() const = 0;

  /// Calls that the server takes for going on.
  virtual int under_way() const = 0;

  virtual SteadyTime now() const = 0;

  /// Lets time pass until `reached` holds; false when that takes longer than any test should.
  virtual bool run_until(const std::function<bool()>& reached) = 0;

  /// Lets so much time pass that whatever was sent or closed has reached the other side.
  virtual void settle() = 0;
};

/// Notes what it is told, and does what a test wants of it.
class NotingReceiver final : public http::HttpReceiver {
 public:
  void on_head(http::HttpHead received) override;
  http::HttpNext on_body(std::string_view piece) override;
  void on_end(http::HttpEnd how) override;

  Error error() const { return end->result.error(); }
  bool told() const { return heads + pieces + ends > 0; }

  int heads = 0;
  int pieces = 0;
  int ends = 0;
  http::HttpHead head;
  std::string body;
  std::optional<http::HttpEnd> end;
  http::HttpNext next = http::HttpNext::More;  ///< its answer to each piece
  std::function<void()> at_head;
  std::function<void()> at_piece;
  std::function<void()> at_end;
};

struct HttpClientKind {
  const char* name;
  std::unique_ptr<HttpClientRig> (*make)();
};

class HttpClientContract : public testing::TestWithParam<HttpClientKind> {
 protected:
  std::unique_ptr<http::HttpCall> post(NotingReceiver& receiver, const std::string& body = "{}",
                                       SteadyTime deadline = SteadyTime::max());
  /// Posts, waits for the end and lets whatever may follow it happen.
  void exchange(NotingReceiver& receiver, const std::string& body = "{}");
  bool run_until(const std::function<bool()>& reached) { return rig_->run_until(reached); }
  bool run_until_nothing_is_under_way();

  std::unique_ptr<HttpClientRig> rig_ = GetParam().make();
  http::HttpEndpointConfig config_ = rig_->server();
  std::unique_ptr<http::HttpEndpoint> endpoint_;  ///< opened by the first post()
};

}  // namespace ba
