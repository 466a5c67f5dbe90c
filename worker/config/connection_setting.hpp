#pragma once
// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL URL or connection string as a setting: masked where it is shown, read by libpq's own
// parser, so that a slip is found before anything connects.

#include <string>

namespace ba::settings {

class SectionReader;

void read_connection(SectionReader& in, const char* key, std::string& url);

}  // namespace ba::settings
