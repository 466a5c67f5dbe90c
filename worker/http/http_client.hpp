#pragma once
// SPDX-License-Identifier: Apache-2.0
// HTTP as the adapters need it: a request with a small body, a reply in pieces, a hard stop at any
// moment. An endpoint is one URL with its headers, timeouts and its own admission queue. Control
// thread only. The real one is curl_http_client.hpp.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/text/secret/secret.hpp"

namespace ba::http {

using HttpHeaders = std::vector<std::pair<std::string, Secret>>;

struct HttpEndpointConfig {
  std::string url;
  HttpHeaders headers;
  Milliseconds connect_timeout{10'000};
  Milliseconds first_byte_timeout{300'000};
  Milliseconds idle_timeout{60'000};
  Milliseconds total_timeout{600'000};     ///< from when the request leaves the queue
  std::int64_t reply_bytes_max = 4 << 20;  ///< after decompression
  int concurrency_max = 256;               ///< requests in flight
  int queue_max = 100'000;                 ///< requests that wait for one of those
  bool compression = false;
  std::string proxy;  ///< empty: none
  Secret proxy_user;  ///< empty: nobody logs in there
  Secret proxy_password;
  std::string ca_file;  ///< empty: the system's
};

struct HttpHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case

  /// The first value of a header, or "".
  std::string_view header(std::string_view lower_case_name) const;
};

/// How a request ended.
struct HttpEnd {
  Result<void> result;             ///< no error: the whole reply was received
  bool sent = false;               ///< all of the request left, so it may have been acted upon
  bool reused_connection = false;  ///< failed on a kept connection before any byte of a reply
};

/// What to do after a piece of the body.
enum class HttpNext {
  More,
  Complete,  ///< nothing that may follow matters: the call ends well, soon or at once
  Abort,     ///< not wanted any more: the call ends with Cancelled
};

/// Gets one reply: on_head once (never for an informational one), on_body as pieces arrive, on_end
/// once. Never called from inside post(). The call may be destroyed in any of them.
class HttpReceiver {
 public:
  virtual ~HttpReceiver() = default;
  virtual void on_head(HttpHead head) = 0;
  virtual HttpNext on_body(std::string_view piece) = 0;
  virtual void on_end(HttpEnd end) = 0;
};

/// A request under way or waiting. Destroying it closes its connection; nothing is called after.
class HttpCall {
 public:
  virtual ~HttpCall() = default;
};

enum class HttpMethod { Post, Get, Delete };

struct HttpPost {
  std::shared_ptr<const std::string> body;  ///< shared by the tries of a call; only of a POST
  std::uint64_t affinity = 0;               ///< same value: prefers the same connections
  SteadyTime deadline = SteadyTime::max();  ///< queue and transfer together
  HttpMethod method = HttpMethod::Post;
  /// Beside the endpoint's; none holds a control character.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string query = {};  ///< follows the endpoint's URL and "?"; percent-encoded by the caller
};

class HttpEndpoint {
 public:
  virtual ~HttpEndpoint() = default;
  /// `receiver` must outlive the call.
  [[nodiscard]] virtual std::unique_ptr<HttpCall> post(HttpPost request,
                                                       HttpReceiver& receiver) = 0;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  /// The endpoint must be destroyed before the client, and after its calls.
  [[nodiscard]] virtual Result<std::unique_ptr<HttpEndpoint>> open(HttpEndpointConfig config) = 0;
};

// What may stand in a header of a request (RFC 9110, section 5). Pure functions.

/// A token: letters, digits and a few marks.
bool is_header_name(std::string_view name);

/// One line, without control characters.
bool is_header_value(std::string_view value);

/// Whether they are one header, whose name may be written in any case.
bool same_header_name(std::string_view a, std::string_view b);

}  // namespace ba::http
