#pragma once
// SPDX-License-Identifier: Apache-2.0
// `tools.files` and `tools.file_write`, read into the tools' own configuration. A function over
// values of its caller; any thread.

#include "worker/tools/files/files_config.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// `tools`: the section around them.
void read_files(settings::SectionReader& tools, FilesConfig& files, FileWriteConfig& file_write);

}  // namespace ba
