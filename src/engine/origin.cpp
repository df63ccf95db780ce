#include "engine/origin.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/settle.hpp"
#include "engine/version.hpp"
#include "yaml/writer.hpp"

namespace consort::engine {

namespace {

namespace fs = std::filesystem;

// Without symbolic links in its folder, because ".." would lead elsewhere behind them.
fs::path real_place(const fs::path& path) {
  std::error_code failed;
  const auto normal = fs::absolute(path).lexically_normal();
  const auto folder = fs::canonical(normal.parent_path(), failed);
  return failed ? normal : folder / normal.filename();
}

void add_kept(const graph::System& system, std::vector<graph::KeptFiles>& kept) {
  for (const auto& files : system.kept)
    if (!files.archive.empty()) kept.push_back(files);
  for (const auto& inner : system.systems) add_kept(inner, kept);
}

// Pipes and devices have names of the machine or of the process, which mean nothing later.
bool is_stream(const fs::path& path) {
  std::error_code failed;
  return fs::exists(path, failed) && !fs::is_regular_file(path, failed) && !fs::is_directory(path, failed);
}

// Gives files the names under which they are recorded, and collects their checksums.
class RecordedFiles {
 public:
  RecordedFiles(const fs::path& result_folder, TablesRead& tables)
      : folder_(fs::weakly_canonical(fs::absolute(result_folder.empty() ? fs::path(".") : result_folder))),
        tables_(tables) {}

  void keep(const graph::System& system) { add_kept(system, kept_); }

  // `with_contents`: tables are part of a description, unless they are large.
  fs::path add(const graph::FileUse& file, bool with_contents) {
    fs::path name = name_of(file.path);
    if (!known_.insert(name.string()).second) return name;
    if (file.kind != graph::FileKind::table) {
      facts_.push_back({digest_fact + name.string(), digest_of(file.path)});
      return name;
    }
    const auto& table = tables_.facts(file.path);
    facts_.push_back({digest_fact + name.string(), table.digest});
    if (with_contents && table.contents) facts_.push_back({contents_fact + name.string(), *table.contents});
    return name;
  }

  [[nodiscard]] std::vector<record::Fact> take() { return std::move(facts_); }

 private:
  [[nodiscard]] fs::path name_of(const fs::path& path) const {
    for (const auto& files : kept_) {
      const auto inside = path.lexically_normal().lexically_relative(files.folder.lexically_normal());
      if (!inside.empty() && *inside.begin() != "..") return name_of(files.archive) / inside;
    }
    if (is_stream(path)) return path.filename().replace_extension(".csv");
    const auto place = real_place(path);
    const auto relative = place.lexically_relative(folder_);
    return relative.empty() ? place : relative;
  }

  fs::path folder_;
  TablesRead& tables_;
  std::vector<graph::KeptFiles> kept_;
  std::set<std::string> known_;
  std::vector<record::Fact> facts_;
};

std::vector<record::Fact> program_facts(const Origin& origin) {
  std::vector<record::Fact> facts{{program_fact, fmt::format("consort {}", version)}};
  if (!origin.command.empty()) facts.push_back({command_fact, origin.command});
  return facts;
}

// The description, or what prevents it: a run does not fail because its result cannot say how to repeat it.
record::Fact description_of(const graph::Document& document) {
  try {
    return {description_fact, yaml::write_system(document)};
  } catch (const Error& error) {
    return {obstacle_fact, error.what()};
  }
}

}  // namespace

std::vector<record::Fact> origin_facts(const Origin& origin, graph::Document document, const graph::Plan& plan,
                                       TablesRead& tables) {
  settle(document.system, plan);
  RecordedFiles files(origin.result_folder, tables);
  files.keep(document.system);
  graph::place_files(document, [&](const graph::FileUse& file) { return files.add(file, true); });
  document.run.record.file.clear();  // a repetition must not replace its own description
  auto facts = program_facts(origin);
  facts.push_back(description_of(document));
  for (auto& fact : files.take()) facts.push_back(std::move(fact));
  return facts;
}

std::vector<record::Fact> origin_facts(const Origin& origin, const std::vector<graph::FileUse>& used,
                                       TablesRead& tables) {
  RecordedFiles files(origin.result_folder, tables);
  for (const auto& file : used) files.add(file, false);
  auto facts = program_facts(origin);
  for (auto& fact : files.take()) facts.push_back(std::move(fact));
  return facts;
}

std::string digest_of(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return sha256_of_file(path);
  std::map<std::string, std::string> digests;  // sorted, because folders are not
  for (fs::recursive_directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code none;
    if (!entry->is_regular_file(none)) continue;
    digests[entry->path().lexically_relative(path).string()] = sha256_of_file(entry->path());
  }
  require(!failed, "{}: the folder cannot be read: {}; check its permissions", path.string(), failed.message());
  std::string list;
  for (const auto& [name, digest] : digests) list += fmt::format("{}  {}\n", digest, name);
  return sha256_of(list);
}

}  // namespace consort::engine
