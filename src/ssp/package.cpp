#include "ssp/package.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "os/archive.hpp"
#include "ssp/read.hpp"

namespace consort::ssp {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view default_structure = "SystemStructure.ssd";

bool has_ending(const fs::path& file, std::string_view ending) { return iequals(file.extension().string(), ending); }

// The scheme of a URI: the part before the first colon (RFC 3986, 3.1). Empty if there is none.
std::string_view scheme_of(std::string_view uri) {
  const auto end = uri.find_first_of(":/?#");
  if (end == std::string_view::npos || end == 0 || uri[end] != ':') return {};
  return uri.substr(0, end);
}

// True if the path is below the root after following symbolic links.
bool is_below(const fs::path& root, const fs::path& path) {
  std::error_code failed;
  const auto real_root = fs::canonical(root, failed);
  if (failed) return false;
  const auto real = fs::weakly_canonical(path, failed);
  if (failed) return false;
  const auto [end, unused] = std::mismatch(real_root.begin(), real_root.end(), real.begin(), real.end());
  return end == real_root.end();
}

// The path as spelled on the disk if it differs only in letter case, which tools on Windows do not notice. nullopt if
// no path or more than one matches.
std::optional<fs::path> respelled(const fs::path& root, const fs::path& inside) {
  fs::path found;
  for (const auto& part : inside) {
    std::error_code failed;
    if (part == ".." || fs::exists(root / found / part, failed)) {
      found /= part;
      continue;
    }
    std::vector<fs::path> same;
    for (const auto& entry : fs::directory_iterator(root / found, failed))
      if (iequals(entry.path().filename().string(), part.string())) same.push_back(entry.path().filename());
    if (same.size() != 1) return std::nullopt;
    found /= same.front();
  }
  return found;
}

// Converts "file:" URIs (RFC 8089) to paths: "file:///a/b" and "file:/a/b" are absolute; "file:a/b" and "file://./a/b",
// which some tools write, are relative.
std::string_view without_file_scheme(std::string_view uri) {
  if (!iequals(scheme_of(uri), "file")) return uri;
  uri.remove_prefix(5);
  if (uri.starts_with("//")) uri.remove_prefix(2);
  if (uri.starts_with("localhost/")) uri.remove_prefix(9);
  // "/C:/models" is a Windows path.
  return uri.size() > 2 && uri[0] == '/' && uri[2] == ':' ? uri.substr(1) : uri;
}

bool is_structure(const fs::directory_entry& entry) {
  std::error_code failed;
  return entry.is_regular_file(failed) && has_ending(entry.path(), ".ssd");
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
      if (error == std::errc() && end == text.data() + i + 3 && value != 0) {
        out.push_back(static_cast<char>(value));
        i += 2;
        continue;
      }
    }
    out.push_back(text[i]);
  }
  return out;
}

std::shared_ptr<const Package> Package::open_archive(const fs::path& archive, std::string shown) {
  std::shared_ptr<Package> package(new Package());
  package->shown_ = std::move(shown);
  package->unpacked_.emplace("ssp");
  package->root_ = package->unpacked_->path();
  package->archive_ = archive;
  os::unpack(archive, package->root_);
  return package;
}

std::shared_ptr<const Package> Package::open(const fs::path& path, std::string shown, bool outside) {
  std::error_code failed;
  require(fs::exists(path, failed), "{}: the file does not exist; check its name and folder", shown);
  std::shared_ptr<Package> package(new Package());
  package->shown_ = std::move(shown);
  if (fs::is_directory(path, failed)) {
    package->outside_ = outside;
    package->root_ = path;
  } else if (has_ending(path, ".ssd")) {
    package->outside_ = outside;
    package->is_file_ = true;
    package->root_ = path.has_parent_path() ? path.parent_path() : fs::path(".");
    package->structures_ = {path.filename().string()};
    return package;
  } else {
    package->unpacked_.emplace("ssp");
    package->root_ = package->unpacked_->path();
    package->archive_ = path;
    os::unpack(path, package->root_);
  }
  package->find_structures();
  return package;
}

// Uses the only folder as the root if the archive contains the folder instead of the files in it.
void Package::enter_top_folder() {
  std::error_code failed;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root_, failed)) {
    if (is_structure(entry)) return;
    if (!entry.is_directory(failed)) continue;
    const auto files = fs::directory_iterator(entry.path(), failed);
    if (!failed && std::any_of(begin(files), end(files), is_structure)) folders.push_back(entry.path());
  }
  if (folders.size() != 1) return;
  root_ = folders.front();
  remark_ = fmt::format(
      "the package contains the folder '{}' instead of the files in it; pack the files "
      "themselves",
      root_.filename().string());
}

void Package::find_structures() {
  if (unpacked_) enter_top_folder();
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(root_, failed))
    if (is_structure(entry)) structures_.push_back(entry.path().filename().string());
  std::sort(structures_.begin(), structures_.end(), [](const auto& a, const auto& b) {
    return std::pair(a != default_structure, a) < std::pair(b != default_structure, b);
  });
  require(!structures_.empty(),
          "{}: the package has no '{}' at its root; pack the files themselves, not the folder that they are in", shown_,
          default_structure);
}

std::string Package::find_structure(std::string_view variant) const {
  if (variant.empty()) return structures_.front();
  for (const auto& file : structures_)
    if (file == variant || fs::path(file).stem() == variant) return file;
  std::vector<std::string> names;
  for (const auto& file : structures_) {
    Diagnostics unused;
    try {
      auto name = read<SystemStructure>(root_ / file, file, unused).name;
      if (name == variant) return file;
      names.push_back(fmt::format("'{}' ({})", name, file));
    } catch (const Error&) {
      names.push_back(fmt::format("{} (cannot be read)", file));
    }
  }
  throw input_error("{}: there is no variant '{}'; there are {}", shown_, variant, fmt::join(names, ", "));
}

Package::Place Package::resolve(std::string_view uri, std::string_view folder) const {
  const auto given = uri;
  uri = without_file_scheme(uri);
  const auto scheme = scheme_of(uri);
  require(scheme.empty() || scheme.size() == 1,
          "{}: '{}' is not fetched: a package must contain its files; download the file and put it into the package",
          shown_, given);
  Place place;
  if (const auto hash = uri.find('#'); hash != std::string_view::npos) {
    place.fragment = percent_decoded(uri.substr(hash + 1));
    uri = uri.substr(0, hash);
  }
  std::string relative = percent_decoded(uri);
  std::replace(relative.begin(), relative.end(), '\\', '/');
  const bool drive = relative.size() > 1 && relative[1] == ':';
  const bool absolute = relative.starts_with('/');
  require(!drive && (!absolute || outside_),
          "{}: '{}' is a path of the machine that the package was made on; put the file into the package and name it "
          "relative to the SSD file{}",
          shown_, given, unpacked_ || drive ? "" : ", or allow it with --allow-outside");
  auto inside = (fs::path(folder) / relative).lexically_normal();  // `relative` alone when it is absolute
  std::error_code failed;
  if (!absolute && !fs::exists(root_ / inside, failed)) {
    if (auto found = respelled(root_, inside)) {
      inside = std::move(*found);
      place.respelled = true;
    }
  }
  place.inside = inside.generic_string();
  place.path = root_ / inside;
  place.shown = is_file_ || absolute ? place.inside : fmt::format("{}/{}", shown_, place.inside);
  const bool leaves = (!inside.empty() && *inside.begin() == "..") || !is_below(root_, place.path);
  require(!leaves || outside_, "{}: '{}' leads out of the package; put the file into the package{}", shown_, given,
          unpacked_ ? "" : ", or allow it with --allow-outside");
  return place;
}

}  // namespace consort::ssp
