// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/conninfo.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "pipeline/base/nearest_word.hpp"
#include "storage/libpq/pg_url.hpp"

namespace ba::storage {
namespace {

struct OptionsDestroyer {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, OptionsDestroyer>;

struct Parsed {
  Options options;
  std::string complaint;
};

Parsed parse(const std::string& url) {
  char* raw = nullptr;
  Parsed parsed{Options(PQconninfoParse(url.c_str(), &raw)), {}};
  if (raw != nullptr) parsed.complaint = raw;
  PQfreemem(raw);
  return parsed;
}

std::string value_of(const PQconninfoOption* options, std::string_view keyword) {
  for (; options != nullptr && options->keyword != nullptr; ++options)
    if (options->keyword == keyword) return options->val != nullptr ? options->val : "";
  return {};
}

std::vector<std::string> keywords() {
  std::vector<std::string> names;
  const Options defaults(PQconndefaults());
  for (const PQconninfoOption* one = defaults.get(); one && one->keyword; ++one)
    names.emplace_back(one->keyword);
  return names;
}

/// Of a word that is wrong, what it is near to; nothing of the word itself.
std::string near(const std::string& word, const std::vector<std::string>& known) {
  const auto nearest = nearest_word(word, known);
  return nearest ? "; did you mean " + *nearest + "?" : "";
}

struct Words {
  const char* keyword;
  std::vector<std::string> allowed;
};

/// Which libpq refuses only when it connects.
const std::vector<Words>& closed_sets() {
  static const std::vector<Words> sets{
      {"sslmode", {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}},
      {"channel_binding", {"disable", "prefer", "require"}},
      {"gssencmode", {"disable", "prefer", "require"}},
      {"ssl_min_protocol_version", {"TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"}},
      {"ssl_max_protocol_version", {"TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"}},
      {"target_session_attrs",
       {"any", "read-write", "read-only", "primary", "standby", "prefer-standby"}}};
  return sets;
}

std::optional<std::string> value_problem(const PQconninfoOption* options) {
  for (const Words& set : closed_sets()) {
    const std::string value = value_of(options, set.keyword);
    if (value.empty() || std::ranges::count(set.allowed, value) > 0) continue;
    std::string allowed;
    for (const std::string& word : set.allowed) allowed += (allowed.empty() ? "" : ", ") + word;
    return std::string(set.keyword) + " must be one of " + allowed + near(value, set.allowed);
  }
  return std::nullopt;
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failure == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

/// One port, or one for each host; empty ones are the default.
std::optional<std::string> port_problem(std::string_view ports) {
  while (!ports.empty()) {
    const std::size_t comma = std::min(ports.find(','), ports.size());
    const std::string_view port = ports.substr(0, comma);
    if (!port.empty() && !is_port(port)) return "a port must be a number from 1 to 65535";
    ports.remove_prefix(std::min(comma + 1, ports.size()));
  }
  return std::nullopt;
}

/// libpq's complaint begins with what it is about and goes on with the text.
std::string string_problem(const std::string& complaint) {
  constexpr const char* kQuoting =
      "; a value with a space or a quote is written in single quotes, \\ before each ' and \\ in "
      "it";
  constexpr std::string_view kUnknown = "invalid connection option \"";
  if (complaint.starts_with(kUnknown)) {
    const std::size_t end = complaint.find('"', kUnknown.size());
    return "one of its keywords is none of libpq's" +
           near(complaint.substr(kUnknown.size(), end - kUnknown.size()), keywords()) + kQuoting;
  }
  if (complaint.starts_with("unterminated quoted string"))
    return std::string("a single quote isn't closed") + kQuoting;
  if (complaint.starts_with("missing \"=\""))
    return std::string("a part of it has no \"=\"") + kQuoting;
  return "libpq can't read it";
}

std::optional<std::string> url_problem(const std::string& text) {
  const PgUrlReading reading = read_pg_url(text);
  if (!reading.url) return reading.problem;
  const std::vector<std::string> known = keywords();
  for (const auto& [name, value] : reading.url->parameters)
    if (name != "ssl" && std::ranges::count(known, name) == 0)
      return "one of the names behind its \"?\" is none of libpq's" + near(name, known);
  return std::nullopt;
}

/// What they say is about the way to the server, not who comes.
constexpr std::array<std::string_view, 20> kShown{"host",
                                                  "hostaddr",
                                                  "port",
                                                  "dbname",
                                                  "user",
                                                  "connect_timeout",
                                                  "client_encoding",
                                                  "application_name",
                                                  "fallback_application_name",
                                                  "keepalives",
                                                  "keepalives_idle",
                                                  "tcp_user_timeout",
                                                  "sslmode",
                                                  "sslcert",
                                                  "sslkey",
                                                  "sslrootcert",
                                                  "sslcrl",
                                                  "gssencmode",
                                                  "channel_binding",
                                                  "target_session_attrs"};

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) {
    const bool word = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= '0' && letter <= '9');
    return word || std::string_view("._/:,-%+~").find(letter) != std::string_view::npos;
  });
}

std::string shown_value(std::string_view keyword, const std::string& value, std::string_view mask) {
  const bool safe = std::ranges::count(kShown, keyword) > 0 && is_plain(value);
  return std::string(keyword) + "=" + (safe ? value : std::string(mask));
}

std::string shown_url(const PgUrl& url, std::string_view mask) {
  std::string text = url.scheme;
  if (url.user) text += is_plain(*url.user) ? *url.user : std::string(mask);
  if (url.has_password) text += ":" + std::string(mask);
  if (url.user) text += "@";
  text += url.hosts + (url.database ? "/" + *url.database : "");
  char mark = '?';
  for (const auto& [name, value] : url.parameters)
    text += std::exchange(mark, '&') + shown_value(name, value, mask);
  return text;
}

std::string quoted_value(std::string_view value) {
  std::string out = "'";
  for (const char letter : value) {
    if (letter == '\'' || letter == '\\') out += '\\';
    out += letter;
  }
  return out + "'";
}

}  // namespace

std::optional<std::string> conninfo_problem(const std::string& url) {
  if (is_pg_url(url))
    if (auto problem = url_problem(url)) return problem;
  const Parsed parsed = parse(url);
  if (!parsed.options && is_pg_url(url))
    return "libpq can't read it: " + std::string(kPercentEncoding);
  if (!parsed.options && url.find("://") != std::string::npos)
    return "it begins neither with postgresql:// nor postgres://";
  if (!parsed.options) return string_problem(parsed.complaint);
  const std::string host = value_of(parsed.options.get(), "host");
  if (host.find('@', 1) != std::string::npos)  // "@name" is an abstract socket
    return "there is an \"@\" in the name of its host";
  if (auto problem = value_problem(parsed.options.get())) return problem;
  return port_problem(value_of(parsed.options.get(), "port"));
}

std::string shown_conninfo(const std::string& url, std::string_view mask) {
  if (url.empty()) return "";
  const bool clean = !conninfo_problem(url);
  if (is_pg_url(url)) {
    const std::string scheme = url.substr(0, url.find("://") + 3);
    return clean ? shown_url(*read_pg_url(url).url, mask) : scheme + std::string(mask);
  }
  if (!clean) return std::string(mask);
  const Parsed parsed = parse(url);
  std::string text;
  for (const PQconninfoOption* one = parsed.options.get(); one->keyword; ++one)
    if (one->val != nullptr)
      text += (text.empty() ? "" : " ") + shown_value(one->keyword, one->val, mask);
  return text;
}

std::string conninfo_target(const std::string& url) {
  if (conninfo_problem(url)) return {};
  std::string host = value_of(parse(url).options.get(), "host");
  if (host.empty()) host = value_of(parse(url).options.get(), "hostaddr");
  if (host.empty()) host = conninfo_value(url, "host");
  if (host.empty()) host = "(local socket)";
  const std::string port = conninfo_value(url, "port");
  const std::string database = conninfo_value(url, "dbname");
  return host + ":" + (port.empty() ? "5432" : port) + "/" +
         (database.empty() ? conninfo_value(url, "user") : database);
}

std::string conninfo_value(const std::string& url, std::string_view keyword) {
  std::string value = value_of(parse(url).options.get(), keyword);
  if (!value.empty()) return value;
  return value_of(Options(PQconndefaults()).get(), keyword);
}

std::string conninfo_with(const std::string& url,
                          const std::vector<std::pair<std::string, std::string>>& settings) {
  const Parsed parsed = parse(url);
  if (!parsed.options) return url;
  std::string text;
  const auto add = [&](std::string_view keyword, std::string_view value) {
    text += (text.empty() ? "" : " ") + std::string(keyword) + "=" + quoted_value(value);
  };
  for (const PQconninfoOption* one = parsed.options.get(); one->keyword; ++one)
    if (one->val != nullptr) add(one->keyword, one->val);
  for (const auto& [keyword, value] : settings)
    if (value_of(parsed.options.get(), keyword).empty()) add(keyword, value);
  return text;
}

}  // namespace ba::storage
