// Runs the built `consort` as users do: in its own process and its own folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "os/temp_folder.hpp"

namespace consort::cli_tests {

namespace fs = std::filesystem;

struct Ended {
  int status = -1;  // exit status, or -1 after a signal
  int signal = 0;
  std::string out, err;
};

// A running program. The destructor ends it if it still runs.
class Program {
 public:
  Program(pid_t pid, fs::path out, fs::path err) : pid_(pid), out_(std::move(out)), err_(std::move(err)) {}
  ~Program();
  Program(Program&& other) noexcept : pid_(other.pid_), out_(other.out_), err_(other.err_) { other.pid_ = -1; }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program& operator=(Program&&) = delete;

  [[nodiscard]] pid_t process() const { return pid_; }
  void send(int signal) const;
  // Kills the program after `patience`, so that a test fails instead of hanging.
  Ended wait(std::chrono::seconds patience = std::chrono::seconds(60));

 private:
  pid_t pid_;
  fs::path out_, err_;
};

// A working folder, and a private folder for temporary files, which must be empty after the program has ended.
class Desk {
 public:
  Desk();

  [[nodiscard]] const fs::path& folder() const { return folder_; }
  [[nodiscard]] fs::path temp() const { return root_.path() / "tmp"; }
  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(folder_ / name); }
  // Names in the working folder, sorted.
  [[nodiscard]] std::vector<std::string> files() const;
  // The contents of the folder for temporary files.
  [[nodiscard]] std::vector<std::string> left_behind() const;

  Program start(std::vector<std::string> arguments, const std::string& standard_output = {}) const;
  // `standard_output`: a file for the output, instead of Ended::out.
  Ended run(std::vector<std::string> arguments, const std::string& standard_output = {}) const;

 private:
  os::TempFolder root_;
  fs::path folder_;
};

// The path of an FMU built by this project: fmu("fmi2/Dahlquist.fmu").
[[nodiscard]] std::string fmu(const std::string& name);
[[nodiscard]] std::string read_text(const fs::path& file);
// Waits until `file` has at least `bytes`; false if this takes longer than 30 s.
[[nodiscard]] bool wait_for_size(const fs::path& file, std::uintmax_t bytes);

// Fails the test unless `ended` has this status, no output on stdout, and on stderr one paragraph (one line) that
// begins with "consort: ".
void expect_one_paragraph(const Ended& ended, int status);

}  // namespace consort::cli_tests
