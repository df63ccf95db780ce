// A whole system in the middle of its run, as one file that contains all data needed to resume exactly.
//
// Readable only by the same program on the same kind of machine. A file is written under a temporary name and then
// renamed, so that a complete file exists at any time; a checksum detects damaged files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace consort::engine {

struct Checkpoint {
  std::string identity;  // system and settings, as lines of text; a run resumes only if it is equal
  Time t = 0;
  std::uint64_t rows = 0;            // rows recorded so far, including a row at t
  std::string last_row;              // the last of these rows, with its time; empty: unknown
  std::string run;                   // run state, scenario, controller, counters
  std::vector<std::string> units{};  // states of units, in the order of the plan
};

// Converts to and from the bytes of a file. decode() throws Error (input) for invalid bytes; `name` is the file's name
// in messages.
[[nodiscard]] std::vector<std::uint8_t> encode(const Checkpoint& checkpoint);
[[nodiscard]] Checkpoint decode(std::span<const std::uint8_t> bytes, const std::string& name);
// The same without header and checksum.
[[nodiscard]] Checkpoint decode_contents(std::span<const std::uint8_t> bytes);

// Throws Error (run) if the file cannot be written; an existing file is then unchanged.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
// Throws Error (input).
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& file);

// Throws Error (input) that names the difference, if there is one.
void require_same_identity(const std::string& saved, const std::string& present, const std::string& name);

}  // namespace consort::engine
