#include "engine/recorded_system.hpp"

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/origin.hpp"
#include "engine/version.hpp"
#include "graph/files.hpp"
#include "os/temp_folder.hpp"
#include "record/formats.hpp"
#include "ssp/package.hpp"
#include "yaml/reader.hpp"

namespace consort::engine {

namespace {

namespace fs = std::filesystem;

std::string fact(const std::vector<record::Fact>& facts, const std::string& name) {
  for (const auto& f : facts)
    if (f.name == name) return f.value;
  return {};
}

bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

// Of the text of a path, as Linux has it for the path of a file.
constexpr std::size_t longest_path = 4096;
// Of a file whose checksum is compared: larger than any FMU, smaller than what /proc offers.
constexpr std::uintmax_t largest_file = std::uintmax_t{64} << 30;

// Whether a path that a result names can be a file of a run: a result must not make the reader go through devices or
// the folders of a machine.
bool is_file_of_a_run(const fs::path& path) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) return fs::is_regular_file(path / "modelDescription.xml", failed);
  return fs::is_regular_file(path, failed) && fs::file_size(path, failed) <= largest_file;
}

// Finds the files of a recorded system.
class Finder {
 public:
  Finder(const fs::path& result, const std::vector<record::Fact>& facts, bool allow_changed)
      : result_(result), facts_(facts), allow_changed_(allow_changed) {}

  fs::path find(const fs::path& recorded) {
    require(
        recorded.native().size() <= longest_path,
        "{}: the run read a file with a path of {} characters, more than the {} that a path can have; the result is "
        "damaged, repeat the run",
        result_.string(), recorded.native().size(), longest_path);
    const std::string digest = fact(facts_, digest_fact + recorded.string());
    const auto is_same = [&](const fs::path& file) { return !digest.empty() && digest_of(file) == digest; };
    if (auto copy = written(recorded); !copy.empty() && is_same(copy)) return copy;
    fs::path changed;
    for (const auto& candidate :
         {result_.parent_path() / recorded, recorded, result_.parent_path() / recorded.filename()}) {
      auto place = unpacked(candidate);
      if (place.empty() || !is_file_of_a_run(place)) continue;
      if (is_same(place)) return place;
      if (changed.empty()) changed = place;
    }
    require(!changed.empty(),
            "{}: the run read '{}', which does not exist here; put the file there, or beside the result",
            result_.string(), recorded.string());
    require(
        allow_changed_,
        "{}: '{}' is not the file that the run read ({}), so the rows would differ; restore the file, or go on with "
        "--allow-changed-files",
        result_.string(), recorded.string(),
        digest.empty() ? "the result has no SHA-256 of it" : "its SHA-256 differs");
    notes_.push_back(fmt::format("'{}' is not the file that the run of {} read; rows may differ", recorded.string(),
                                 result_.filename().string()));
    return changed;
  }

  // find() once per file.
  fs::path found(const fs::path& recorded) {
    const auto known = found_.find(recorded.string());
    if (known != found_.end()) return known->second;
    return found_.emplace(recorded.string(), find(recorded)).first->second;
  }

  std::vector<graph::KeptFiles> take_kept() { return std::move(kept_); }
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  // A copy of a file whose contents are recorded; empty if they are not.
  fs::path written(const fs::path& recorded) {
    const std::string contents = fact(facts_, contents_fact + recorded.string());
    if (contents.empty()) return {};
    const auto folder = std::make_shared<os::TempFolder>("input");
    auto copy = folder->path() / recorded.filename();
    kept_.push_back({folder, folder->path()});
    std::ofstream out(copy, std::ios::binary);
    out << contents;
    if (!out.flush()) throw run_error("{}: cannot be written; make room there", copy.string());
    return copy;
  }

  // The file, also below an archive ("car.ssp/resources/wheel.fmu"), which is unpacked. Empty if there is none.
  fs::path unpacked(const fs::path& path) {
    if (is_there(path)) return path;
    fs::path place;
    bool inside = false;  // an archive
    for (const auto& part : path) {
      std::error_code failed;
      if (fs::is_regular_file(place, failed)) {
        place = root_of(place);
        inside = true;
      }
      if (inside && part == "..") return {};
      place /= part;
      if (!is_there(place)) return {};
    }
    return place;
  }

  const fs::path& root_of(const fs::path& archive) {
    auto& package = packages_[archive.string()];
    if (!package) {
      package = ssp::Package::open(archive, archive.filename().string());
      kept_.push_back({package, package->root(), archive});
    }
    return package->root();
  }

  const fs::path& result_;
  const std::vector<record::Fact>& facts_;
  bool allow_changed_;
  std::map<std::string, fs::path> found_;
  std::map<std::string, std::shared_ptr<const ssp::Package>> packages_;
  std::vector<graph::KeptFiles> kept_;
  std::vector<std::string> notes_;
};

// The description, or an Error that says why there is none.
std::string description_in(const fs::path& result, const std::vector<record::Fact>& facts) {
  auto text = fact(facts, description_fact);
  const std::string obstacle = fact(facts, obstacle_fact);
  require(obstacle.empty(), "{}: its system could not be recorded ({}); run the system file again", result.string(),
          obstacle);
  const std::string command = fact(facts, command_fact);
  require(!text.empty() || command.empty(), "{}: is the result of one FMU, not of a system; repeat its run with: {}",
          result.string(), command);
  require(!text.empty(), "{}: does not carry its system; only results of systems do, from this version of Consort on",
          result.string());
  return text;
}

}  // namespace

graph::Document read_recorded_system(const fs::path& result, bool allow_changed) {
  const auto& format = record::format_of(result);
  require(format.read_facts != nullptr, "{}: {} results do not carry their system; record the run as {}",
          result.string(), format.name, record::result_endings(&record::Format::read_facts));
  const auto facts = format.read_facts(result);
  Finder finder(result, facts, allow_changed);
  auto document = yaml::parse_system(
      description_in(result, facts), result.filename(),
      [](const fs::path& file) -> std::string {
        throw input_error("its system refers to the file '{}', but results contain whole systems; run the system again",
                          file.string());
      },
      [&](const fs::path& table) { return read_csv_header(finder.found(table)); });
  graph::place_files(document, [&](const graph::FileUse& file) { return finder.found(file.path); });
  document.run.record.file.clear();  // a result must not decide where files are written on this machine
  for (auto& kept : finder.take_kept()) document.system.kept.push_back(std::move(kept));
  for (auto& note : finder.take_notes()) document.system.notes.push_back(std::move(note));
  const std::string program = fact(facts, program_fact);
  if (const auto own = fmt::format("consort {}", version); program != own)
    document.system.notes.push_back(
        fmt::format("the result was made by {}, and this is {}; rows may differ", program, own));
  return document;
}

}  // namespace consort::engine
