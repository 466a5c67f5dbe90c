#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads the text of a script file, strictly: an unknown key, a bad template or a bad regular
// expression is an error that names the file, the entry and the key.

#include <string>
#include <vector>

#include "tests/scripted_model/script.hpp"

namespace ba::scripted {

Result<std::vector<ScriptEntry>> read_script(const std::string& text, const std::string& name);

}  // namespace ba::scripted
