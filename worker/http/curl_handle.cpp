// SPDX-License-Identifier: Apache-2.0
#include "worker/http/curl_handle.hpp"

#include <charconv>
#include <new>

#include "worker/http/curl_codes.hpp"
#include "worker/http/curl_way.hpp"

namespace ba::http {
namespace {

constexpr std::size_t kHeaderBytesMax = 64 << 10;
constexpr Milliseconds kDrainTimeout{250};  // for the rest of a reply that is already complete
constexpr long kReceiveBufferBytes = 2048;  // replies are small and requests in flight many
// Over TLS curl keeps a buffer of what it sends until the reply has come. A record of TLS holds no
// more than this: a larger buffer would save nothing.
constexpr long kTlsSendBufferBytes = 16 << 10;

std::string_view without_line_end(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// The status of a line "HTTP/1.1 200 OK", or 0.
int status_of(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (line.substr(0, 5) != "HTTP/" || space == line.npos) return 0;
  int status = 0;
  std::from_chars(line.data() + space + 1, line.data() + line.size(), status);
  return status;
}

Error error_with(ErrorCode code, Retry retry, std::string message, std::string detail) {
  Error error = make_error(code, std::move(message), retry);
  error.detail = std::move(detail);
  return error;
}

Error timed_out(std::string_view phase, Milliseconds limit) {
  return error_with(ErrorCode::Timeout, Retry::Later,
                    "no " + std::string(phase) + " within " + std::to_string(limit.count()) + " ms",
                    "timeout " + std::string(phase));
}

}  // namespace

std::string header_line(const std::string& name, const std::string& value) {
  return value.empty() ? name + ";" : name + ": " + value;
}

void append_line(CurlList& list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  static_cast<void>(list.release());
  list.reset(longer);
}

CurlHandle::CurlHandle(const HttpEndpointConfig& config, curl_slist* headers, CURLSH* share)
    : config_(config), headers_(headers), easy_(curl_easy_init()) {
  if (!easy_) throw std::bad_alloc();
  set_options(headers, share);
}

void CurlHandle::set_options(curl_slist* headers, CURLSH* share) {
  const auto set = [this](auto option, auto value) {
    curl_easy_setopt(easy_.get(), option, value);
  };
  set_way(easy_.get(), config_);
  // HTTP/1.1: cancelling a call closes its own connection and no other call's.
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  if (config_.url.starts_with("https:")) set(CURLOPT_UPLOAD_BUFFERSIZE, kTlsSendBufferBytes);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  // Longer than ours, which end a transfer first; without one curl has 300 s.
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(config_.connect_timeout.count() + 1000));
  // "identity" asks for none, and what a server compresses all the same is read.
  set(CURLOPT_ACCEPT_ENCODING, config_.compression ? "gzip, deflate" : "identity");
  set(CURLOPT_SHARE, share);
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_ERRORBUFFER, message_);
  set(CURLOPT_HEADERFUNCTION, &CurlHandle::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &CurlHandle::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PREREQFUNCTION, &CurlHandle::on_connected);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
}

void CurlHandle::begin(HttpPost& request, HttpReceiver& receiver, SteadyTime now) {
  static const auto nothing = std::make_shared<const std::string>();
  body_ = request.body && request.method == HttpMethod::Post ? std::move(request.body) : nothing;
  receiver_ = &receiver;
  head_ = {};
  header_bytes_ = 0;
  body_bytes_ = 0;
  sends_ = 0;
  head_delivered_ = complete_ = too_large_ = refused_ = false;
  started_ = progress_ = now;
  message_[0] = '\0';
  set_request(request);
}

void CurlHandle::set_request(const HttpPost& request) {
  const auto set = [this](auto option, auto value) {
    curl_easy_setopt(easy_.get(), option, value);
  };
  const std::string url = request.query.empty() ? config_.url : config_.url + "?" + request.query;
  set(CURLOPT_URL, url.c_str());  // copied
  const bool posts = request.method == HttpMethod::Post;
  set(posts ? CURLOPT_POST : CURLOPT_HTTPGET, 1L);
  const char* const other_name = request.method == HttpMethod::Delete ? "DELETE" : nullptr;
  set(CURLOPT_CUSTOMREQUEST, other_name);
  if (posts) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_->size()));
    set(CURLOPT_POSTFIELDS, body_->data());
  }
  CurlList all;
  if (!request.headers.empty()) {
    for (const curl_slist* line = headers_; line != nullptr; line = line->next)
      append_line(all, line->data);
    for (const auto& [name, value] : request.headers) append_line(all, header_line(name, value));
  }
  set(CURLOPT_HTTPHEADER, all ? all.get() : headers_);
  own_headers_ = std::move(all);
}

int CurlHandle::on_connected(void* self, char*, char*, int, int) {
  auto& handle = *static_cast<CurlHandle*>(self);
  if (handle.abandoned()) return CURL_PREREQFUNC_ABORT;
  handle.progress_ = std::chrono::steady_clock::now();
  // curl repeats a request by itself when a kept connection turns out to be dead. Whether a model
  // is asked twice is not its decision.
  return ++handle.sends_ > 1 ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

std::size_t CurlHandle::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& handle = *static_cast<CurlHandle*>(self);
  const std::size_t bytes = size * count;
  if (handle.abandoned()) return 0;
  handle.progress_ = std::chrono::steady_clock::now();
  handle.header_bytes_ += bytes;
  if (handle.header_bytes_ > kHeaderBytesMax) {
    handle.too_large_ = true;
    return 0;
  }
  if (!handle.take_header_line(without_line_end({data, bytes}))) return 0;
  return bytes;
}

bool CurlHandle::take_header_line(std::string_view line) {
  if (head_delivered_) return true;  // a trailer
  if (head_.status == 0 || line.substr(0, 5) == "HTTP/") {
    head_ = {};
    head_.status = status_of(line);
    return true;
  }
  if (!line.empty()) {
    const std::size_t colon = line.find(':');
    if (colon != line.npos)
      head_.headers.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    return true;
  }
  if (head_.status < 200) return true;  // informational: the real head follows
  head_delivered_ = true;
  receiver_->on_head(std::move(head_));
  return !abandoned();
}

std::size_t CurlHandle::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& handle = *static_cast<CurlHandle*>(self);
  const std::size_t bytes = size * count;
  if (handle.abandoned()) return 0;
  if (handle.complete_) return bytes;
  handle.progress_ = std::chrono::steady_clock::now();
  handle.body_bytes_ += static_cast<std::int64_t>(bytes);
  if (handle.body_bytes_ > handle.config_.reply_bytes_max) {
    handle.too_large_ = true;
    return 0;
  }
  const HttpNext next = handle.receiver_->on_body({data, bytes});
  handle.complete_ = next == HttpNext::Complete;
  handle.refused_ = next == HttpNext::Abort;
  return handle.abandoned() || handle.refused_ ? 0 : bytes;
}

HttpEnd CurlHandle::end(CURLcode code) const {
  if (complete_ || (code == CURLE_OK && head_delivered_)) return {{}, true, false};
  if (code == CURLE_OK)
    return end_by(error_with(ErrorCode::Unavailable, Retry::Later,
                             "the connection was closed within the head of the reply", "head cut"));
  if (too_large_ || refused_) return end_by(refusal());
  HttpEnd end = end_by(error_of_curl(code, message_, config_.ca_file));
  long connects = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_NUM_CONNECTS, &connects);
  end.reused_connection = header_bytes_ == 0 && (sends_ > 1 || (sends_ == 1 && connects == 0));
  return end;
}

Error CurlHandle::refusal() const {
  if (refused_) return error_with(ErrorCode::Cancelled, Retry::Never, "cancelled", "");
  return error_with(ErrorCode::LimitExceeded, Retry::Never,
                    "the reply is larger than " +
                        std::to_string(header_bytes_ > kHeaderBytesMax
                                           ? static_cast<std::int64_t>(kHeaderBytesMax)
                                           : config_.reply_bytes_max) +
                        " bytes",
                    "reply too large");
}

HttpEnd CurlHandle::end_by(Error error) const {
  if (complete_) return {{}, true, false};
  const bool all_sent = sent();
  error.maybe_done = all_sent;
  return {std::move(error), all_sent, false};
}

bool CurlHandle::sent() const {
  if (sends_ == 0) return false;
  // With a second send pending, the first went out on a connection that died: curl only notices so
  // while it waits for the reply, and its upload counter starts again.
  if (header_bytes_ > 0 || sends_ > 1) return true;
  curl_off_t uploaded = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_SIZE_UPLOAD_T, &uploaded);
  return uploaded >= static_cast<curl_off_t>(body_->size());
}

std::optional<Error> CurlHandle::overdue(SteadyTime now, SteadyTime deadline) const {
  const auto past = [now](SteadyTime since, Milliseconds limit) { return now - since > limit; };
  if (complete_ && past(progress_, kDrainTimeout)) return timed_out("end", kDrainTimeout);
  if (now > deadline)
    return error_with(ErrorCode::Timeout, Retry::Never, "the call's deadline has passed",
                      "timeout deadline");
  if (past(started_, config_.total_timeout)) return timed_out("end", config_.total_timeout);
  if (sends_ == 0) {
    if (past(started_, config_.connect_timeout))
      return timed_out("connection", config_.connect_timeout);
  } else if (header_bytes_ == 0) {
    if (past(progress_, config_.first_byte_timeout))
      return timed_out("first byte", config_.first_byte_timeout);
  } else if (past(progress_, config_.idle_timeout)) {
    return timed_out("next byte", config_.idle_timeout);
  }
  return std::nullopt;
}

}  // namespace ba::http
