#include "fmi/binaries.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "fmi/foreign/library.hpp"

namespace consort::fmi {

namespace fs = std::filesystem;

namespace {

struct Row {
  Platform platform;
  std::string_view name;       // folder in FMI 1.0 and 2.0
  std::string_view fmi3_name;  // folder in FMI 3.0
  std::string_view ending;
};
// In the order of preference.
constexpr auto rows = std::to_array<Row>({
    {Platform::linux64, "linux64", "x86_64-linux", ".so"},
    {Platform::win64, "win64", "x86_64-windows", ".dll"},
    {Platform::linux32, "linux32", "x86-linux", ".so"},
    {Platform::win32, "win32", "x86-windows", ".dll"},
});

const Row& row_of(Platform platform) {
  return *std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.platform == platform; });
}

bool has_files(const fs::path& folder) {
  std::error_code ignored;
  return fs::directory_iterator(folder, ignored) != fs::directory_iterator();
}

// DLLs that come with a compiler or a tool are no FMU: of several libraries, the one with the model identifier counts.
std::optional<BinaryFile> binary_for(const Row& row, const BinaryQuery& q) {
  const bool third = q.version == describe::FmiVersion::v3;
  const std::string wanted = fmt::format("{}{}", q.model_identifier, row.ending);
  for (const auto folder : {third ? row.fmi3_name : row.name, third ? row.name : row.fmi3_name}) {
    const fs::path place = q.folder / "binaries" / folder;
    std::error_code ignored;
    if (fs::exists(place / wanted, ignored)) return BinaryFile{place / wanted, row.platform};
    std::vector<fs::path> others;
    for (const auto& entry : fs::directory_iterator(place, ignored))
      if (entry.path().extension() == row.ending) others.push_back(entry.path());
    // The name differs, but there is only one library: use it.
    if (others.size() == 1) return BinaryFile{others.front(), row.platform};
    require(others.empty(), "{}: binaries/{} has no {}; it has {} other libraries, and none can be selected", q.shown,
            folder, wanted, others.size());
  }
  return std::nullopt;
}

// Completes "has binaries for … only": what to do.
std::string way_out(const BinaryQuery& q) {
  return has_files(q.folder / "sources") ? "; it has sources: add --compile to build a binary for this machine"
                                         : "; export it again for 64-bit Linux";
}

}  // namespace

std::string_view name_of(Platform platform) { return row_of(platform).name; }

Platform platform_of(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) {
    if (row.name == name || row.fmi3_name == name) return row.platform;
    names.push_back(row.name);
  }
  throw input_error("unknown platform '{}'; available: {}", name, fmt::join(names, ", "));
}

std::vector<std::string> platforms(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder / "binaries", ignored))
    if (entry.is_directory(ignored) && has_files(entry.path())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

BinaryFile find_binary(const BinaryQuery& q) {
  std::string reason;  // why the first foreign binary cannot be run
  for (const auto& row : rows) {
    if (q.wanted && row.platform != *q.wanted) continue;
    const auto binary = binary_for(row, q);
    if (!binary) continue;
    auto problem = foreign::cannot_run(row.platform);
    if (problem.empty()) return *binary;
    if (reason.empty()) reason = std::move(problem);
  }
  auto there = platforms(q.folder);
  if (q.wanted && reason.empty())
    throw input_error("{}: has no binary for {}{}; leave the platform out to take any", q.shown, name_of(*q.wanted),
                      there.empty() ? "" : fmt::format(", but for {}", fmt::join(there, ", ")));
  // A folder without a library is no platform.
  if (!q.wanted) std::erase_if(there, [](const auto& p) { return p == "linux64" || p == "x86_64-linux"; });
  if (there.empty()) throw input_error("{}: has no binaries{}", q.shown, way_out(q));
  if (reason.empty())
    throw input_error("{}: has binaries for {} only, none for 64-bit Linux{}", q.shown, fmt::join(there, ", "),
                      way_out(q));
  throw input_error("{}: has binaries for {} only; {}{}", q.shown, fmt::join(there, ", "), reason,
                    has_files(q.folder / "sources") ? ", or add --compile to build a binary from its sources" : "");
}

std::string how_it_runs(const BinaryQuery& query) {
  try {
    const Platform platform = find_binary(query).platform;
    switch (platform) {
      case Platform::linux64: return "natively (linux64)";
      case Platform::linux32: return "in a program for 32 bits (linux32)";
      default: return fmt::format("through Wine ({})", name_of(platform));
    }
  } catch (const Error& error) {
    return fmt::format("not here: {}", error.what());
  }
}

}  // namespace consort::fmi
