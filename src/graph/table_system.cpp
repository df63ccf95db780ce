#include "graph/table_system.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::graph {

System table_system(std::string name, const std::filesystem::path& file, const std::vector<std::string>& header,
                    const std::vector<Connector>& declared) {
  System table(std::move(name));
  table.kind = System::Kind::table;
  table.table = file;
  const std::vector<std::string_view> columns(header.begin() + (header.empty() ? 0 : 1), header.end());
  for (const auto column : columns) {
    const auto known = std::find_if(declared.begin(), declared.end(), [&](const auto& c) { return c.name == column; });
    auto& made = table.connectors.emplace_back(known == declared.end() ? Connector{} : *known);
    made.name = column;
    made.causality = describe::Causality::output;
    made.type = made.type.value_or(Type::Float64);
  }
  for (const auto& c : declared) {
    require(c.causality == describe::Causality::output || c.causality == describe::Causality::local,
            "'{}' is an {} of the table '{}', which has outputs only; correct its kind", c.name, name_of(c.causality),
            table.name);
    require(std::find(columns.begin(), columns.end(), c.name) != columns.end(),
            "the table '{}' has no column '{}'{}; correct the name, or add the column", file.string(), c.name,
            suggestion(c.name, columns));
  }
  return table;
}

}  // namespace consort::graph
