// What a sink writes into its file, write by write, so that a test can look at the file as a kill would have left it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace consort::record {

struct FileChange {
  std::uint64_t at = 0;
  std::string bytes{};  // empty: the file is `at` bytes long from now on
};

// One at a time: takes down every pwrite() and ftruncate() of the process while it lives. Both still do their work.
class WriteJournal {
 public:
  WriteJournal();
  ~WriteJournal();
  WriteJournal(const WriteJournal&) = delete;
  WriteJournal& operator=(const WriteJournal&) = delete;

  // Writes are cut at pages of the file: a process that is killed may leave some of those of one write.
  std::vector<FileChange> changes;
};

}  // namespace consort::record
