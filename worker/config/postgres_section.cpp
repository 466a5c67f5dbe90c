// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

#include <algorithm>

namespace ba::config {
namespace {

bool is_schema_name(const std::string& text) {
  const auto plain = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || letter == '_' || (letter >= '0' && letter <= '9');
  };
  return !text.empty() && text.size() <= 63 && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), plain);
}

}  // namespace

void read_postgres(settings::SectionReader& in, storage::PgOptions& postgres) {
  storage::PgAccess& access = postgres.access;
  in.read("url", settings::PgAddress{access.url});
  in.read("schema", access.schema);
  in.read("application_name", access.application_name);
  in.read("connect_timeout_ms", access.connect_timeout, {100, 600'000});
  in.read("statement_timeout_ms", access.statement_timeout, {100, 3'600'000});
  in.read("committers", postgres.committers, {1, 64});
  in.read("retry_window_ms", postgres.retry_window, {0, 3'600'000});
  in.read("group_deltas_max", postgres.group_deltas_max, {1, 100'000});
  in.read("group_bytes_max", postgres.group_bytes_max, {1024, 1024LL * 1024 * 1024});
  if (!is_schema_name(access.schema))
    in.refuse("schema", {.kind = SettingProblem::Kind::NotAllowed,
                         .value = "\"" + access.schema + "\"",
                         .allowed = "[a-z_][a-z0-9_]{0,62}"});
  else if (access.schema.starts_with("pg_") || access.schema == "information_schema")
    in.error("schema", SettingProblem::Kind::Refused,
             "\"" + access.schema + "\" belongs to PostgreSQL itself: give another name");
}

}  // namespace ba::config
