// The files that a system is made of. Everything that records, finds, copies or identifies them goes through here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "graph/document.hpp"

namespace consort::graph {

enum class FileKind : std::uint8_t {
  unit,   // an FMU, which may be a folder
  table,  // of signals over time
  python  // the source of a class
};

struct FileUse {
  FileKind kind = FileKind::unit;
  std::string element;  // path of the element ("front.wheel"); empty: the inputs of the run
  std::filesystem::path path;
  std::string where{};  // the place of the element, for messages
};

// In the order of declaration, elements before nested systems, the inputs of the run last. A file that several elements
// use is listed for each. Models without a file and elements without one are left out.
[[nodiscard]] std::vector<FileUse> files_of(const System& system, const RunSettings& run);

// Replaces every path by `place(use)`, in the same order.
void place_files(Document& document, const std::function<std::filesystem::path(const FileUse&)>& place);

}  // namespace consort::graph
