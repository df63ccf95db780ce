// Paths of the FMUs built from models/, and modified copies of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "fmi/fmu.hpp"
#include "fmi/foreign/library.hpp"
#include "os/archive.hpp"
#include "os/temp_folder.hpp"

namespace consort::fmi {

enum class Kind { cs, me };

// FMI 1.0 has one interface per FMU.
inline std::filesystem::path fmu_file(int version, const std::string& name, Kind kind = Kind::cs) {
  const std::filesystem::path root = places::fmus();
  if (version == 1) return root / "fmi1" / (kind == Kind::cs ? "cs" : "me") / (name + ".fmu");
  return root / ("fmi" + std::to_string(version)) / (name + ".fmu");
}

inline Fmu open_fmu(int version, const std::string& name, Kind kind = Kind::cs, const OpenOptions& options = {}) {
  return Fmu::open(fmu_file(version, name, kind), options);
}

inline std::filesystem::path binary_of(const Fmu& fmu) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(fmu.folder() / "binaries")) {
    if (entry.path().extension() == ".so") return entry.path();
  }
  ADD_FAILURE() << "no binary in " << fmu.folder();
  return {};
}

inline void write_file(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// An FMU unpacked into its own folder, for changes before it is opened.
class UnpackedFmu {
 public:
  UnpackedFmu(int version, const std::string& name, Kind kind = Kind::cs, const std::string& folder = "fmu")
      : folder_(temporary_.path() / folder) {
    std::filesystem::create_directories(folder_);
    os::unpack(fmu_file(version, name, kind), folder_);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  [[nodiscard]] std::string description() const { return read_file(folder_ / "modelDescription.xml"); }
  // Replaces text in the model description, which must contain `from`.
  UnpackedFmu& replace(const std::string& from, const std::string& to) {
    std::string text = description();
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) write_file(folder_ / "modelDescription.xml", text.replace(at, from.size(), to));
    return *this;
  }
  [[nodiscard]] Fmu open(const OpenOptions& options = {}) const { return Fmu::open(folder_, options); }

 private:
  os::TempFolder temporary_{"test"};
  std::filesystem::path folder_;
};

// --- suites over versions and platforms

// A version of FMI, and the platform of the binary that runs.
struct Variant {
  int version = 2;
  Platform platform = Platform::linux64;
};
inline const Variant variants[] = {{1, Platform::linux64}, {2, Platform::linux64}, {3, Platform::linux64},
                                   {1, Platform::win64},   {2, Platform::win64},   {3, Platform::win64}};
inline std::string name_of_variant(const testing::TestParamInfo<Variant>& info) {
  return "Fmi" + std::to_string(info.param.version) + "_" + std::string(name_of(info.param.platform));
}

// A suite that runs for all variants. Skips those that this machine cannot run.
class VariantTest : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    if (const auto reason = foreign::cannot_run(platform()); !reason.empty()) GTEST_SKIP() << reason;
  }
  [[nodiscard]] static int version() { return GetParam().version; }
  [[nodiscard]] static Platform platform() { return GetParam().platform; }
  [[nodiscard]] static OpenOptions options() { return {.platform = platform()}; }
  [[nodiscard]] static bool is_foreign() { return platform() != Platform::linux64; }
};

// --- values by name

inline ValueReference reference(const describe::Description& d, std::string_view name) {
  return d[d.require_variable(name)].reference;
}

template <class T>
std::vector<T> get(Instance& instance, const describe::Description& d, std::string_view name, std::size_t count = 1) {
  const std::vector<ValueReference> references{reference(d, name)};
  std::vector<T> values(count);
  instance.get<T>(references, values);
  return values;
}

template <class T>
void set(Instance& instance, const describe::Description& d, std::string_view name, std::vector<T> values) {
  const std::vector<ValueReference> references{reference(d, name)};
  instance.set<T>(references, std::span<const T>(values));
}

inline double real(Instance& instance, const describe::Description& d, std::string_view name) {
  return get<double>(instance, d, name)[0];
}

inline void initialize(Instance& instance, const Experiment& experiment = {}) {
  instance.enter_initialization(experiment);
  instance.exit_initialization();
}

}  // namespace consort::fmi
