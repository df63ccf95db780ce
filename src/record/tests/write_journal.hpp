// Records every write of a sink, so that a test can reconstruct the file as a kill would have left it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace consort::record {

struct FileChange {
  std::uint64_t at = 0;
  std::string bytes{};  // empty: the file is truncated to `at` bytes
};

// Records every pwrite() and ftruncate() of the process during its lifetime; both calls still take effect. Only one may
// exist at a time.
class WriteJournal {
 public:
  WriteJournal();
  ~WriteJournal();
  WriteJournal(const WriteJournal&) = delete;
  WriteJournal& operator=(const WriteJournal&) = delete;

  // Splits writes at page boundaries: a killed process may leave only some pages of a write.
  std::vector<FileChange> changes;
};

}  // namespace consort::record
