// The tables that a run has read: each is read once, because a pipe has no second time and a file may change meanwhile.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace consort::engine {

class TablesRead {
 public:
  // `wanted`: facts are taken whenever a table is read. Otherwise files are read again if facts() is called, and facts
  // are taken of pipes only.
  explicit TablesRead(bool wanted = true) : wanted_(wanted) {}

  struct Facts {
    std::string digest;                     // SHA-256 of the text
    std::optional<std::string> contents{};  // the text; of large tables only the digest is kept
  };

  // Reads a table and returns its text. Throws Error (input) if the file cannot be read.
  [[nodiscard]] std::string read(const std::filesystem::path& file);
  // The facts about a table, which is read if it was not read before: a run reads only the tables that drive something.
  // The reference is valid as long as this object. Throws like read().
  [[nodiscard]] const Facts& facts(const std::filesystem::path& file);

 private:
  const Facts& keep(const std::filesystem::path& file, std::string_view text);

  bool wanted_;
  std::map<std::string, Facts> facts_;
};

}  // namespace consort::engine
