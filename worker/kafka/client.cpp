// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/client.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>

namespace ba::kafka {
namespace {

ClientHooks& hooks_of(void* opaque) { return *static_cast<ClientHooks*>(opaque); }

void log_cb(const rd_kafka_t* client, int level, const char* facility, const char* text) {
  // The first lines come before the client knows its opaque value.
  if (void* opaque = client ? rd_kafka_opaque(client) : nullptr)
    hooks_of(opaque).log(level, facility, text);
}

void error_cb(rd_kafka_t*, int code, const char* reason, void* opaque) {
  hooks_of(opaque).on_error(failure_of(static_cast<rd_kafka_resp_err_t>(code), reason));
}

void delivery_cb(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  hooks_of(opaque).on_delivery(*message);
}

void rebalance_cb(rd_kafka_t*, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* list,
                  void* opaque) {
  hooks_of(opaque).on_rebalance(code, list);
}

void commit_cb(rd_kafka_t*, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t*,
               void* opaque) {
  hooks_of(opaque).on_commit(code);
}

/// The library's own words may quote the value, which may be a secret.
std::string refusal(rd_kafka_conf_res_t result) {
  const char* why = result == RD_KAFKA_CONF_UNKNOWN ? "is not known to librdkafka "
                                                    : "has a value that is refused by librdkafka ";
  return std::string(why) + rd_kafka_version_str();
}

Result<void> set(rd_kafka_conf_t& conf, const std::string& name, const std::string& value,
                 bool own) {
  std::array<char, 512> reason{};
  const auto result =
      rd_kafka_conf_set(&conf, name.c_str(), value.c_str(), reason.data(), reason.size());
  if (result == RD_KAFKA_CONF_OK) return {};
  if (!own) return invalid_argument("kafka property \"" + name + "\" " + refusal(result));
  return invalid_argument("kafka setting " + name + "=" + value + ": " + reason.data());
}

rd_kafka_resp_err_t ask_any_broker(rd_kafka_t& client, Milliseconds patience) {
  const rd_kafka_metadata_t* raw = nullptr;
  const auto code =
      rd_kafka_metadata(&client, 0, nullptr, &raw, static_cast<int>(patience.count()));
  const MetadataHandle metadata(raw);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) rd_kafka_poll(&client, 0);  // brings the reason
  return code;
}
/// Closed where a listener of another protocol closes: at the client's first bytes, or, where it
/// waits for a login, at the first request.
bool is_closed_at_once(const std::string& reason) {
  const auto has = [&](const char* sign) { return reason.find(sign) != std::string::npos; };
  if (!has("Disconnected")) return false;
  return has("state APIVERSION_QUERY") || has("state SSL_HANDSHAKE") ||
         (has("state UP") && !has("sasl_"));
}

/// The library's reasons where client and listener speak different protocols; it knows them by what
/// came back, or by a connection that was closed at once.
bool is_protocol_mismatch(const std::string& reason) {
  if (is_closed_at_once(reason)) return true;
  for (const char* sign : {"security.protocol", "SSL handshake failed", "PLAINTEXT broker listener",
                           "SASL PLAINTEXT", "SASL mechanism"})
    if (reason.find(sign) != std::string::npos) return true;
  return false;
}

std::string property(const KafkaOptions& options, const char* name, const char* otherwise) {
  const auto found = options.properties.find(name);
  return found == options.properties.end() ? otherwise : found->second;
}

/// The brokers know the mechanism, and not this user with this password.
bool is_refused_login(const std::string& reason) {
  for (const char* sign : {"invalid credentials", "Authentication failed", "Invalid username"})
    if (reason.find(sign) != std::string::npos) return true;
  return false;
}

bool is_unknown_mechanism(const std::string& reason) {
  for (const char* sign : {"does not support mechanism", "Unsupported SASL mechanism",
                           "UNSUPPORTED_SASL_MECHANISM", "enabled mechanisms"})
    if (reason.find(sign) != std::string::npos) return true;
  return false;
}

bool is_untrusted_certificate(const std::string& reason) {
  return reason.find("certificate verify failed") != std::string::npos ||
         reason.find("certificate could not be verified") != std::string::npos;
}

/// What to do about brokers that don't answer, by the library's reason.
std::string remedy_of(const KafkaFailure& reason, const KafkaOptions& options) {
  const std::string protocol = property(options, "security.protocol", "plaintext");
  const std::string mechanism = property(options, "sasl.mechanism", "GSSAPI");
  if (is_unknown_mechanism(reason.text))
    return "kafka.properties.sasl.mechanism is " + mechanism +
           ": set one that the brokers' listener has (SCRAM-SHA-512, SCRAM-SHA-256, PLAIN or "
           "OAUTHBEARER)";
  if (is_refused_login(reason.text))
    return "correct kafka.properties.sasl.username and sasl.password, or give the brokers this "
           "user for " +
           mechanism;
  if (is_untrusted_certificate(reason.text))
    return "set kafka.properties.ssl.ca.location to the authority that the brokers' certificate "
           "is from, and name the brokers in kafka.brokers as the certificate does";
  if (is_protocol_mismatch(reason.text))
    return "kafka.properties.security.protocol is " + protocol +
           ": set what the brokers' listener speaks (plaintext, ssl, sasl_plaintext or sasl_ssl), "
           "and the ssl.* and sasl.* that it wants";
  if (reason.code != 0 && judge(reason).code == ErrorCode::Authentication)
    return "correct the sasl.* and ssl.* of kafka.properties (security.protocol is " + protocol +
           ")";
  return "start the brokers, or correct kafka.brokers and kafka.properties";
}

/// A connection that was merely closed says less than why it may have been.
KafkaFailure reason_of(const ClientHooks& hooks) {
  KafkaFailure reason = hooks.last_failure();
  const bool closed = reason.text.empty() || reason.text.find("Disconnected") != std::string::npos;
  const std::string mismatch = hooks.protocol_mismatch();
  if (closed && !mismatch.empty()) reason.text = mismatch;
  return reason;
}

std::string seconds_text(Milliseconds time) {
  const std::string tenths = std::to_string(time.count() % 1000 / 100);
  return std::to_string(time.count() / 1000) + (tenths == "0" ? "" : "." + tenths) + " s";
}

}  // namespace

void ClientHooks::log(int level, const char* facility, const char* text) const {
  const std::string line = text;
  if (std::string_view(facility) == "FAIL" && is_protocol_mismatch(line)) {
    const std::size_t thread = line.find("]: ");  // "[thrd:…]: "
    const std::lock_guard lock(mutex_);
    mismatch_ = thread == std::string::npos ? line : line.substr(thread + 3);
  }
  if (log_) log_(level, std::string(facility) + ": " + text);
}

std::string ClientHooks::protocol_mismatch() const {
  const std::lock_guard lock(mutex_);
  return mismatch_;
}

void ClientHooks::on_error(const KafkaFailure& failure) {
  // "All brokers are down" follows on each broker's own, better reason.
  if (failure.code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) last_failure_ = failure;
}

Result<ConfHandle> make_conf(const KafkaOptions& options, ClientHooks& hooks,
                             const Settings& settings) {
  ConfHandle conf(rd_kafka_conf_new());
  rd_kafka_conf_set_opaque(conf.get(), &hooks);
  rd_kafka_conf_set_log_cb(conf.get(), log_cb);
  rd_kafka_conf_set_error_cb(conf.get(), error_cb);
  Settings all{{"bootstrap.servers", options.brokers},
               {"client.id", options.client_id},
               {"socket.nagle.disable", "true"},
               {"socket.keepalive.enable", "true"},
               // A new client connects twice: to an address, then to the broker that answers there.
               {"reconnect.backoff.ms", "20"},
               {"reconnect.backoff.max.ms", "2000"},
               {"allow.auto.create.topics", "false"},
               {"enable.metrics.push", "false"},
               // A listener that speaks another protocol is told of only as a closed connection.
               {"log.connection.close", "true"}};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const auto& [name, value] : all)
    if (auto done = set(*conf, name, value, true); !done) return done.error();
  for (const auto& [name, value] : options.properties)
    if (auto done = set(*conf, name, value, false); !done) return done.error();
  return conf;
}

std::vector<std::pair<std::string, std::string>> refused_properties(
    const std::map<std::string, std::string>& properties) {
  const ConfHandle conf(rd_kafka_conf_new());
  std::vector<std::pair<std::string, std::string>> refused;
  for (const auto& [name, value] : properties) {
    const auto result = rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), nullptr, 0);
    if (result != RD_KAFKA_CONF_OK) refused.emplace_back(name, refusal(result));
  }
  return refused;
}

Result<ClientHandle> make_client(rd_kafka_type_t type, ConfHandle conf) {
  if (type == RD_KAFKA_PRODUCER) {
    rd_kafka_conf_set_dr_msg_cb(conf.get(), delivery_cb);
  } else {
    rd_kafka_conf_set_rebalance_cb(conf.get(), rebalance_cb);
    rd_kafka_conf_set_offset_commit_cb(conf.get(), commit_cb);
  }
  std::array<char, 512> reason{};
  ClientHandle client(rd_kafka_new(type, conf.get(), reason.data(), reason.size()));
  if (!client) {
    std::string why = std::string("kafka client: ") + reason.data();
    if (why.find("No provider for SASL mechanism") != std::string::npos)
      why +=
          ": set kafka.properties.sasl.mechanism to SCRAM-SHA-512, SCRAM-SHA-256, PLAIN or "
          "OAUTHBEARER";
    return invalid_argument(why);
  }
  static_cast<void>(conf.release());  // the client owns it now
  return client;
}

Result<ClientHandle> make_client(rd_kafka_type_t type, const KafkaOptions& options,
                                 ClientHooks& hooks, const Settings& settings) {
  auto conf = make_conf(options, hooks, settings);
  if (!conf) return conf.error();
  return make_client(type, std::move(*conf));
}

Result<void> await_brokers(rd_kafka_t& client, const ClientHooks& hooks,
                           const KafkaOptions& options) {
  Milliseconds patience = std::min(options.request_timeout, kBrokerPatience);
  auto code = ask_any_broker(client, patience);
  // Brokers that are slow to connect give no reason; one that has given a reason stays away.
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR && hooks.last_failure().code == 0 &&
      options.request_timeout > patience) {
    code = ask_any_broker(client, options.request_timeout - patience);
    patience = options.request_timeout;
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const KafkaFailure reason = reason_of(hooks);
  Error error = to_error(failure_of(code), "");
  error.code = ErrorCode::Unavailable;
  if (reason.code != 0 && judge(reason).code == ErrorCode::Authentication)
    error.code = ErrorCode::Authentication;
  error.message = "kafka: no answer from " + options.brokers + " within " + seconds_text(patience) +
                  (reason.text.empty() ? "" : " (" + reason.text + ")") + ": " +
                  remedy_of(reason, options);
  return error;
}

Settings reader_settings(const KafkaOptions& options) {
  return {{"group.id", options.group_id},  // required by the library; nothing is joined
          {"isolation.level", "read_committed"},
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          {"enable.partition.eof", "true"},
          {"auto.offset.reset", "error"},
          {"fetch.wait.max.ms", "100"},
          {"fetch.message.max.bytes", std::to_string(options.intake.record_bytes_max)}};
}

KafkaFailure failure_of(const rd_kafka_error_t& error) {
  return {rd_kafka_error_code(&error), rd_kafka_error_is_fatal(&error) != 0,
          rd_kafka_error_is_retriable(&error) != 0, rd_kafka_error_txn_requires_abort(&error) != 0,
          rd_kafka_error_string(&error)};
}

KafkaFailure failure_of(rd_kafka_resp_err_t code, std::string text) {
  if (text.empty()) text = rd_kafka_err2str(code);
  return {code, code == RD_KAFKA_RESP_ERR__FATAL, false, false, std::move(text)};
}

HeadersHandle make_headers(const Headers& headers) {
  HeadersHandle made(rd_kafka_headers_new(headers.size()));
  for (const auto& [name, value] : headers)
    rd_kafka_header_add(made.get(), name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  return made;
}

RawRecord to_raw_record(const rd_kafka_message_t& message) {
  RawRecord record;
  record.source.topic = rd_kafka_topic_name(message.rkt);
  record.source.partition = message.partition;
  record.source.offset = message.offset;
  record.source.timestamp_ms = rd_kafka_message_timestamp(&message, nullptr);
  if (message.key) record.key.emplace(static_cast<const char*>(message.key), message.key_len);
  if (message.payload) record.value.assign(static_cast<const char*>(message.payload), message.len);
  record.no_value = message.payload == nullptr;
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return record;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i)
    record.headers.emplace_back(
        name, value ? std::string(static_cast<const char*>(value), size) : std::string());
  return record;
}

rd_kafka_resp_err_t produce(rd_kafka_t& client, const std::string& topic, int partition,
                            const std::string* key, const std::string& value,
                            const Headers& headers, void* opaque) {
  HeadersHandle made = make_headers(headers);
  const void* key_bytes = key ? key->data() : nullptr;
  const std::size_t key_size = key ? key->size() : 0;
  const auto code = rd_kafka_producev(
      &client, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(partition),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(key_bytes, key_size),
      RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
      RD_KAFKA_V_HEADERS(made.get()), RD_KAFKA_V_OPAQUE(opaque), RD_KAFKA_V_END);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) static_cast<void>(made.release());  // the message's now
  return code;
}

namespace {

/// Of a topic that is hidden from this client the library only says that it has no such partition.
rd_kafka_resp_err_t why_unknown(rd_kafka_t& client, const std::string& topic,
                                Milliseconds timeout) {
  const TopicHandle handle(rd_kafka_topic_new(&client, topic.c_str(), nullptr));
  const rd_kafka_metadata_t* raw = nullptr;
  const auto code =
      rd_kafka_metadata(&client, 0, handle.get(), &raw, static_cast<int>(timeout.count()));
  const MetadataHandle metadata(raw);
  const bool told = code == RD_KAFKA_RESP_ERR_NO_ERROR && metadata->topic_cnt == 1 &&
                    metadata->topics[0].err != RD_KAFKA_RESP_ERR_NO_ERROR;
  return told ? metadata->topics[0].err : RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

}  // namespace

Result<Watermarks> query_watermarks(rd_kafka_t& client, const std::string& topic, int partition,
                                    Milliseconds timeout) {
  const auto give_up = std::chrono::steady_clock::now() + timeout;
  while (true) {
    Watermarks marks;
    const auto code =
        rd_kafka_query_watermark_offsets(&client, topic.c_str(), partition, &marks.low, &marks.high,
                                         static_cast<int>(timeout.count()));
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return marks;
    const bool unknown = code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
    Error error = to_error(failure_of(unknown ? why_unknown(client, topic, timeout) : code),
                           "asking for the offsets of " + topic + "/" + std::to_string(partition));
    if (error.code != ErrorCode::Unavailable || std::chrono::steady_clock::now() > give_up)
      return error;
    std::this_thread::sleep_for(Milliseconds(20));
  }
}

void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace ba::kafka
