#pragma once
// SPDX-License-Identifier: Apache-2.0
// `tools.data_sources` and `tools.database_write`, read into the tools' own configuration. A
// function over values of its caller; any thread.

#include "worker/tools/sql/sql_config.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// `tools`: the section around them.
void read_sql(settings::SectionReader& tools, std::vector<DataSourceConfig>& sources,
              std::vector<WriteSourceConfig>& write_sources);

}  // namespace ba
