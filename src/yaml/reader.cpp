#include "yaml/reader.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "yaml/reader_parts.hpp"

namespace consort::yaml {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files_deep = 32;

std::string load_file(const fs::path& file) { return read_file(file, Budget{}.bytes); }

// A path that is equal for all names of the same file.
fs::path identity(const fs::path& file) {
  std::error_code failed;
  auto path = fs::weakly_canonical(file, failed);
  return failed ? file.lexically_normal() : path;
}

}  // namespace

void require_includable(const fs::path& path, const Context& context) {
  const fs::path file = identity(path);
  const auto begin = std::find(context.open.begin(), context.open.end(), file);
  if (begin != context.open.end()) {
    std::string way;
    for (auto it = begin; it != context.open.end(); ++it) way += it->filename().string() + " → ";
    throw input_error("{}: the system contains itself ({}{}); remove one of these inclusions", file.string(), way,
                      file.filename().string());
  }
  require(context.open.size() < most_files_deep, "{}: systems in files are nested more than {} deep; nest them less",
          file.string(), most_files_deep);
}

fs::path beside(const fs::path& folder, const std::string& path) { return (folder / path).lexically_normal(); }

graph::System read_file_of_system(std::string_view text, const fs::path& file, Context& context,
                                  graph::RunSettings* run) {
  context.open.push_back(identity(file));
  const std::string name = file.string();
  const Node root = parse(text, name, context.budget);
  const Origin origin{name, context.problems};
  const View view(root, origin);
  const Fields fields(view, file_keys());
  const auto version = fields.find("consort");
  if (!version) throw view.error("a system file begins with 'consort: 1' (the version of the format); add that line");
  view.attempt([&] { static_cast<void>(version->integer("the version of the format ('consort')", 1, 1)); });

  graph::System system(file.stem().string());
  system.where = view.where();
  if (const auto given = fields.find("name")) system.name = given->text("the name of the system");
  read_contents(fields, file.parent_path(), context, system);
  graph::RunSettings unused;
  read_run(fields, file.parent_path(), system, run != nullptr ? *run : unused);
  context.open.pop_back();
  return system;
}

graph::Document parse_system(std::string_view text, const fs::path& name, const Load& load, const Header& header) {
  Context context{load, header, {}, {}, nullptr};
  graph::Document document;
  document.system = read_file_of_system(text, name, context, &document.run);
  return document;
}

graph::Document parse_system(std::string_view text, const fs::path& name) {
  return parse_system(text, name, load_file);
}

graph::Document read_system(const fs::path& file) { return parse_system(load_file(file), file, load_file); }

graph::Document check_system(const fs::path& file, const Problems& problem) {
  const Load load = load_file;
  const Header header = read_csv_header;
  Context context{load, header, {}, {}, &problem};
  graph::Document document;
  document.system = read_file_of_system(load(file), file, context, &document.run);
  return document;
}

}  // namespace consort::yaml
