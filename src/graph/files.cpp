#include "graph/files.hpp"

#include <type_traits>
#include <utility>

namespace consort::graph {

namespace {

// Calls `visit(use without path, path)`; the paths of a const system are const.
template <class AnySystem, class Visit>
void visit_files(AnySystem& system, const std::string& prefix, const Visit& visit) {
  for (auto& component : system.components) {
    const std::string element = prefix + component.name;
    if (component.is_python()) {
      auto file = component.python_file();
      visit(FileUse{FileKind::python, element, {}, component.where}, file);
      if constexpr (!std::is_const_v<AnySystem>)
        component.source = std::string(python_prefix) + file.string() + ":" + component.python_class();
    } else if (!component.is_native() && !component.source.empty()) {
      visit(FileUse{FileKind::unit, element, {}, component.where}, component.source);
    }
  }
  for (auto& inner : system.systems) {
    const std::string element = prefix + inner.name;
    if (inner.kind == System::Kind::table) visit(FileUse{FileKind::table, element, {}, inner.where}, inner.table);
    visit_files(inner, element + ".", visit);
  }
}

}  // namespace

std::vector<FileUse> files_of(const System& system, const RunSettings& run) {
  std::vector<FileUse> files;
  visit_files(system, {}, [&](FileUse use, const std::filesystem::path& path) {
    use.path = path;
    files.push_back(std::move(use));
  });
  if (!run.input_file.empty()) files.push_back({FileKind::table, {}, run.input_file});
  return files;
}

void place_files(Document& document, const std::function<std::filesystem::path(const FileUse&)>& place) {
  visit_files(document.system, {}, [&](FileUse use, std::filesystem::path& path) {
    use.path = path;
    path = place(use);
  });
  auto& input = document.run.input_file;
  if (!input.empty()) input = place({FileKind::table, {}, input}).string();
}

}  // namespace consort::graph
