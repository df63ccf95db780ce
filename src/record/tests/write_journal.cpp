#include "record/tests/write_journal.hpp"

#include <algorithm>

#include <sys/syscall.h>
#include <unistd.h>

namespace consort::record {

namespace {

WriteJournal* journal = nullptr;

void take_down(const char* data, std::size_t size, std::uint64_t at) {
  constexpr std::uint64_t page = 4096;
  for (std::size_t done = 0; done < size;) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, page - (at + done) % page));
    journal->changes.push_back({at + done, std::string(data + done, part)});
    done += part;
  }
}

}  // namespace

WriteJournal::WriteJournal() { journal = this; }
WriteJournal::~WriteJournal() { journal = nullptr; }

}  // namespace consort::record

// Replace the functions of the C library.
extern "C" ssize_t pwrite(int file, const void* data, std::size_t size, off_t at) {
  const ssize_t n = ::syscall(SYS_pwrite64, file, data, size, at);
  if (consort::record::journal != nullptr && n > 0)
    consort::record::take_down(static_cast<const char*>(data), static_cast<std::size_t>(n),
                               static_cast<std::uint64_t>(at));
  return n;
}

extern "C" int ftruncate(int file, off_t size) noexcept {
  const auto status = static_cast<int>(::syscall(SYS_ftruncate, file, size));
  if (consort::record::journal != nullptr && status == 0)
    consort::record::journal->changes.push_back({static_cast<std::uint64_t>(size), {}});
  return status;
}
