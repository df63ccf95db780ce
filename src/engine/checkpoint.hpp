// A whole system in the middle of its run, as one file: what is needed to go on as if nothing had happened.
//
// For the same program on a machine of the same kind. A file is written beside its place and then moved there, so that
// there is a complete one at every moment; a checksum tells one that was damaged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace consort::engine {

struct Checkpoint {
  std::string identity;  // system and settings, as a text of lines; must be the same to go on
  Time t = 0;
  std::uint64_t rows = 0;            // recorded so far, that of t included if there is one
  std::string last_row;              // of these, with its time; empty: not known
  std::string run;                   // run state, scenario, controller, counters
  std::vector<std::string> units{};  // states, in the order of the plan
};

// The bytes of a file. decode() throws Error (input) for whatever is not one; `name` stands for the file in it.
[[nodiscard]] std::vector<std::uint8_t> encode(const Checkpoint& checkpoint);
[[nodiscard]] Checkpoint decode(std::span<const std::uint8_t> bytes, const std::string& name);
// The same without the header and its checksum.
[[nodiscard]] Checkpoint decode_contents(std::span<const std::uint8_t> bytes);

// Throws Error (run) when it cannot be written; the file that was there before is then what it was.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
// Throws Error (input).
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& file);

// Throws Error (input) that says what is different.
void require_same_identity(const std::string& saved, const std::string& present, const std::string& name);

}  // namespace consort::engine
