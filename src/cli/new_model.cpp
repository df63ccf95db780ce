// consort new model NAME: creates a project that builds an FMU with the installed package.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/new.hpp"
#include "cli/new_model_texts.hpp"

namespace consort::cli {

namespace {

namespace fs = std::filesystem;

// The names of files and targets contain the model's name, and FMI 1.0 uses it as a prefix of function names.
constexpr std::size_t longest_name = 60;

// A model's name must be an identifier in C (FMI 2.0, 3.3.1 and 4.3.1: modelIdentifier) and in C++.
constexpr std::string_view keywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast "
    "struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual "
    "void volatile wchar_t while xor xor_eq";

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void require_name(const std::string& name) {
  const bool well_formed =
      !name.empty() && is_letter(name.front()) && name.find("__") == std::string::npos &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  require(well_formed,
          "{} cannot be the name of a model, which must be an identifier in C and C++; use letters, digits and single "
          "underscores, "
          "with a letter first, for example HeatPump or heat_pump",
          quote(name));
  require(name.size() <= longest_name, "{} is too long for the name of a model; use at most {} characters", quote(name),
          longest_name);
  const auto words = split_white(keywords);
  require(std::find(words.begin(), words.end(), name) == words.end(),
          "{} cannot be the name of a model: it is a keyword of C++; choose another name, for example my_{}",
          quote(name), name);
}

// HeatPump for heat_pump: a name with capitals does not clash with functions of the C library.
std::string class_name(std::string_view name) {
  std::string made;
  bool begins = true;
  for (const char c : name) {
    if (c != '_') made += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = c == '_';
  }
  return made;
}

// heat_pump.hpp for HeatPump; consecutive capitals are one word.
std::string file_name(std::string_view name) {
  std::string made;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool word_begins =
        i > 0 && is_upper(name[i]) && name[i - 1] != '_' &&
        (!is_upper(name[i - 1]) || (i + 1 < name.size() && !is_upper(name[i + 1]) && is_letter(name[i + 1])));
    if (word_begins) made += '_';
    made += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return made + ".hpp";
}

std::string filled_in(std::string_view text, const std::string& name) {
  std::string made(text);
  const std::pair<std::string_view, std::string> places[] = {
      {"@NAME@", name}, {"@CLASS@", class_name(name)}, {"@FILE@", file_name(name)}};
  for (const auto& [place, value] : places) {
    for (auto at = made.find(place); at != std::string::npos; at = made.find(place, at + value.size())) {
      made.replace(at, place.size(), value);
    }
  }
  return made;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw run_error("{}: cannot be written; check the folder and the disk", file.string());
}

void make_folder(const fs::path& folder) {
  std::error_code failed;
  const bool made = fs::create_directory(folder, failed);
  if (failed) {
    throw input_error("the folder {} cannot be created: {}; change to a folder with write permission",
                      quote(folder.string()), failed.message());
  }
  require(made, "{} exists already and was not changed; choose another name, or remove it first",
          quote(folder.string()));
}

int new_model(const std::string& name) {
  require_name(name);
  const fs::path folder = name;
  require(!fs::exists(fs::symlink_status(folder)),
          "{} exists already and was not changed; choose another name, or remove it first", quote(name));
  make_folder(folder);
  try {
    make_folder(folder / "tests");
    write(folder / "CMakeLists.txt", filled_in(model_texts::cmake_lists, name));
    write(folder / "tests/CMakeLists.txt", filled_in(model_texts::tests_cmake_lists, name));
    write(folder / file_name(name), filled_in(model_texts::model, name));
    write(folder / "README.md", filled_in(model_texts::readme, name));
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    throw;
  }
  fmt::print(
      "created {0}/ with {1}, CMakeLists.txt, tests/ and README.md; build and test the FMUs with\n"
      "  cmake -S {0} -B {0}/build && cmake --build {0}/build && ctest --test-dir {0}/build\n",
      name, file_name(name));
  return 0;
}

}  // namespace

void add_new_model(CLI::App& app, Action& action) {
  auto name = std::make_shared<std::string>();
  auto& c = *app.add_subcommand("model", "a model in C++ that is exported as FMUs of FMI 1.0, 2.0 and 3.0");
  c.add_option("NAME", *name, "name of the model and of the new folder: HeatPump or heat_pump")->required();
  c.callback([name, &action] { action = [name] { return new_model(*name); }; });
}

}  // namespace consort::cli
