// SPDX-License-Identifier: Apache-2.0
#include "storage/conninfo.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

namespace ba {
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

/// Text in double quotes is a piece of the URL, maybe of the password; one letter gives nothing
/// away.
std::string without_quoted(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('"'), text.size());
    out += text.substr(0, open);
    text.remove_prefix(open);
    if (text.empty()) break;
    const std::size_t close = std::min(text.find('"', 1), text.size() - 1);
    const bool letter = close == 2;
    out += letter ? text.substr(0, close + 1) : std::string_view("\"…\"");
    text.remove_prefix(close + 1);
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
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
    if (!port.empty() && !is_port(port))
      return "port " + std::string(port) + " is not a number from 1 to 65535";
    ports.remove_prefix(std::min(comma + 1, ports.size()));
  }
  return std::nullopt;
}

bool is_url(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

/// libpq ends the password at the first "@" and takes the rest of it for a part of the host.
std::optional<std::string> escape_problem(const std::string& url, std::string_view host) {
  if (host.find('@', 1) != std::string_view::npos)  // "@name" is an abstract socket
    return "there are two \"@\" before the host; in a password it is written %40";
  if (is_url(url) && url.find_first_of(" \t\n") != std::string::npos)
    return "there is white space in it; a space is written %20";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> conninfo_problem(const std::string& url) {
  const Parsed parsed = parse(url);
  if (!parsed.options) return without_quoted(parsed.complaint);
  if (auto problem = escape_problem(url, value_of(parsed.options.get(), "host"))) return problem;
  return port_problem(value_of(parsed.options.get(), "port"));
}

std::string conninfo_target(const std::string& url) {
  const Parsed parsed = parse(url);
  if (!parsed.options) return {};
  const Options defaults(PQconndefaults());
  const auto find = [&](const char* keyword, const char* otherwise) {
    std::string value = value_of(parsed.options.get(), keyword);
    if (value.empty()) value = value_of(defaults.get(), keyword);
    return value.empty() ? std::string(otherwise) : value;
  };
  std::string host = value_of(parsed.options.get(), "host");
  if (host.empty()) host = find("hostaddr", "");
  if (host.empty()) host = find("host", "(local socket)");
  const std::string database = find("dbname", "");
  return host + ":" + find("port", "5432") + "/" + (database.empty() ? find("user", "") : database);
}

}  // namespace ba
