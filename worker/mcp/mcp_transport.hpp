// SPDX-License-Identifier: Apache-2.0
#pragma once
// How messages reach one server and come back, as a port: a child's pipes or HTTP. One transport is
// one connection in the protocol's sense; who wants another makes another. Owned by a Server;
// control thread only.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/mcp/json.hpp"
#include "worker/mcp/rpc_message.hpp"

namespace ba::mcp {

/// A property that a tool wants mirrored into an HTTP header: `x-mcp-header` in its input schema
/// (specification 2026-07-28, "Custom Headers from Tool Parameters").
struct ParamHeader {
  std::vector<std::string> path;  ///< names of properties from the root of the arguments
  std::string name;               ///< of the header, "Mcp-Param-Region"

  friend bool operator==(const ParamHeader&, const ParamHeader&) = default;
};

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// InvalidArgument, with the rule that is broken, for a schema whose tool must not be used.
Result<std::vector<ParamHeader>> read_param_headers(const Json& input_schema);

/// What the arguments give; a property that is absent or null has no header.
HeaderList param_headers(const std::vector<ParamHeader>& plan, const Json& arguments);

/// A text as the value of a header: itself, or in the form =?base64?…?= where it must be.
std::string header_value(std::string_view text);

/// Where a message came in: the id of the request whose own stream brought it, or one of these.
inline constexpr std::int64_t kSharedStream = 0;      ///< a child's output
inline constexpr std::int64_t kListeningStream = -1;  ///< a legacy server's stream of its own

struct Outgoing {
  std::int64_t id = 0;  ///< of a request; 0: a notification, or an answer to the server
  std::string body;
  HeaderList headers;          ///< for HTTP
  bool opens_session = false;  ///< the reply may name a session (legacy HTTP)
};

/// Why a request will get no answer.
struct Lost {
  Error error;
  int status = 0;             ///< of HTTP, where it was that
  bool session_gone = false;  ///< the server has forgotten our session; the request did nothing
};

/// Never called from inside a call of the transport.
class TransportListener {
 public:
  virtual ~TransportListener() = default;
  virtual void on_message(std::int64_t stream, RpcMessage message) = 0;
  virtual void on_lost(std::int64_t id, Lost lost) = 0;
  /// Nothing is sent or comes any more. Requests under way are not told one by one.
  virtual void on_closed(Error error) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual void start(TransportListener& listener) = 0;
  virtual void send(Outgoing message) = 0;
  /// Nobody waits for this request any more; HTTP closes its stream.
  virtual void drop(std::int64_t id) = 0;
  /// Each request has a stream of its own, and headers.
  virtual bool is_http() const = 0;
  /// Of a legacy HTTP server: takes up broken streams, and listens to what it sends by itself.
  virtual void listen(HeaderList headers) = 0;
  /// Ends the connection in good order; `done` once that is over. The listener hears nothing more.
  virtual void stop(std::function<void()> done) = 0;
};

}  // namespace ba::mcp
