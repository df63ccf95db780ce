#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include <fmt/core.h>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/fmu_options.hpp"
#include "engine/library.hpp"
#include "engine/settle.hpp"
#include "engine/system_files.hpp"
#include "graph/compile.hpp"
#include "graph/files.hpp"

namespace consort::cli {

namespace {

namespace fs = std::filesystem;

struct ConvertOptions {
  std::string from;
  std::string to;
  std::string variant;
  std::string version = "2.0";
  bool allow_outside = false;
  fmi::OpenOptions open;
};

// Copies each file of a package once, into a folder next to the written file.
class Unpacker {
 public:
  explicit Unpacker(fs::path folder) : folder_(std::move(folder)) {}

  fs::path operator()(const graph::FileUse& file) {
    auto& copy = copies_[file.path.string()];
    if (copy.empty()) copy = take(file.path);
    return copy;
  }

 private:
  fs::path take(const fs::path& source) {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    std::string name = source.filename().string();
    for (int n = 2; !names_.insert(name).second; ++n)
      name = fmt::format("{}_{}{}", source.stem().string(), n, source.extension().string());
    fs::copy(source, folder_ / name, fs::copy_options::recursive | fs::copy_options::overwrite_existing, failed);
    if (failed)
      throw run_error("{}: cannot be written: {}; check the folder and the disk", (folder_ / name).string(),
                      failed.message());
    return folder_ / name;
  }

  fs::path folder_;
  std::map<std::string, fs::path> copies_;
  std::set<std::string> names_;
};

// Puts the contents of a package next to the written file, into a folder with the name of that file.
void unpack(graph::Document& document, const fs::path& file, const graph::Catalogue& catalogue) {
  engine::settle(document.system, graph::compile(document.system, catalogue));
  Unpacker unpacker(file.parent_path() / file.stem());
  graph::place_files(document, [&](const graph::FileUse& use) { return unpacker(use); });
}

int convert(const ConvertOptions& o) {
  require(o.version == "1.0" || o.version == "2.0", "--ssp-version must be 1.0 or 2.0, not '{}'", o.version);
  const auto& to = engine::written_system_format(o.to);
  const auto* const from = engine::find_system_format(o.from);
  if (from == &to && to.rewrite != nullptr && o.variant.empty()) {
    to.rewrite(o.from, o.to, o.version);
  } else {
    auto document = engine::read_system_file(o.from, {o.variant, o.allow_outside});
    engine::LibraryOptions options;
    options.open = o.open;
    engine::Library library(std::move(options));
    if ((from->packs || !document.system.kept.empty()) && !to.packs)
      unpack(document, fs::absolute(o.to).lexically_normal(), library.catalogue());
    for (const auto& note : to.write(document, o.to, {o.version, library.catalogue()}))
      fmt::print(stderr, "note: {}\n", note);
  }
  fmt::print(stderr, "wrote {}\n", o.to);
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, Action& action) {
  auto o = std::make_shared<ConvertOptions>();
  auto& c = *app.add_subcommand("convert",
                                "write a system in another format or version: " + engine::written_system_endings());
  c.add_option("FROM", o->from, "the system: " + engine::system_endings() + ", or an unpacked package")->required();
  c.add_option("TO", o->to,
               "the file to write; its ending gives the format; FMUs of a package go to a folder of the same name")
      ->required();
  c.add_option("--ssp-version", o->version, "1.0 or 2.0")->capture_default_str();
  c.add_option("--variant", o->variant, "name of the system, if the package has several");
  c.add_flag("--allow-outside", o->allow_outside, "allow an SSD file or folder to refer to files outside its folder");
  add_open_options(c, o->open);
  c.callback([o, &action] { action = [o] { return convert(*o); }; });
}

}  // namespace consort::cli
