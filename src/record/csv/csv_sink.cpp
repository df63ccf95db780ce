#include "record/csv/csv_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"

namespace consort::record {

// --- the text of a row

namespace {

void append_quoted(std::string& to, std::string_view text) {
  to.push_back('"');
  for (const char c : text) {
    if (c == '"') to.push_back('"');
    to.push_back(c);
  }
  to.push_back('"');
}

void append_hex(std::string& to, const Binary& bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  for (const std::uint8_t byte : bytes) {
    to.push_back(digits[byte >> 4U]);
    to.push_back(digits[byte & 0xFU]);
  }
}

template <class T>
void append_number(std::string& to, T number) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(number)) {  // without the sign that to_chars writes
      to.append("nan");
      return;
    }
  }
  std::array<char, 32> text;  // the longest double takes 24 characters
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  to.append(text.data(), end);
}

template <class T>
void append_cell(std::string& to, const T& element) {
  if constexpr (std::is_same_v<T, std::string>) {
    append_quoted(to, element);
  } else if constexpr (std::is_same_v<T, Binary>) {
    append_hex(to, element);
  } else if constexpr (std::is_base_of_v<Bool, T>) {
    to.push_back(element.value ? '1' : '0');
  } else if constexpr (std::is_same_v<T, EnumValue>) {
    append_number(to, element.value);
  } else {
    append_number(to, element);
  }
}

// Returns the length of the complete rows in `data`, which starts at the beginning of a row. A line feed inside quotes
// belongs to a text.
std::size_t complete_rows(const char* data, std::size_t size) {
  bool quoted = false;
  std::size_t complete = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '"') quoted = !quoted;
    if (data[i] == '\n' && !quoted) complete = i + 1;
  }
  return complete;
}

// Returns the size of the header line and the next `rows` rows; 0 if the file has fewer rows. Stores the header in
// `names` and the last of these rows in `last`.
std::uint64_t size_of_rows(const std::filesystem::path& path, std::uint64_t rows, std::string& names,
                           std::string& last) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t lines = 0;
  std::uint64_t size = 0;
  bool quoted = false;
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
    for (const char c : std::string_view(block.data(), static_cast<std::size_t>(in.gcount()))) {
      ++size;
      if (lines == 0) names.push_back(c);
      if (lines == rows) last.push_back(c);
      if (c == '"') quoted = !quoted;
      if (c == '\n' && !quoted && ++lines == rows + 1) return size;
    }
  }
  return 0;
}

}  // namespace

// --- the sink

CsvSink::CsvSink(std::filesystem::path path)
    : path_(std::move(path)), name_(path_ == "-" ? "standard output" : "'" + path_.string() + "'") {}

CsvSink::~CsvSink() {
  try {
    if (fd_ >= 0 && !failed_) flush();
  } catch (const Error&) {  // end() reports failures
  }
  close();
}

void CsvSink::begin(const Header& header) {
  CONSORT_ASSERT(fd_ < 0);
  open(O_TRUNC);
  set_up(header);
  store_row();
  flush();
  last_look_ = last_flush_;
}

bool CsvSink::resume(const Header& header, std::uint64_t rows, const KnownRow* last) {
  CONSORT_ASSERT(fd_ < 0);
  std::error_code error;
  if (path_ == "-" || !std::filesystem::is_regular_file(path_, error)) return false;
  std::string names, text;
  const std::uint64_t size = size_of_rows(path_, rows, names, text);
  open(0);
  set_up(header);
  std::string why;
  if (names != row_) {
    why = "has other variables";
  } else if (size == 0) {
    why = fmt::format("has fewer than the {} rows recorded before the checkpoint", rows);
  } else if (last != nullptr && rows > 0) {
    format(last->t, last->values);
    if (row_ != text) why = fmt::format("was written by another run, because its row {} is different", rows);
  }
  if (!why.empty()) {
    close();
    cells_.clear();
    throw input_error("the result {} cannot be resumed from the checkpoint: it {}; give another --output-file", name_,
                      why);
  }
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0 || ::lseek(fd_, 0, SEEK_END) < 0) fail(errno, nullptr, 0);
  file_size_ = size;
  last_look_ = last_flush_ = std::chrono::steady_clock::now();
  return true;
}

// Prepares cells and buffers; row_ then contains the header line.
void CsvSink::set_up(const Header& header) {
  buffer_ = std::make_unique_for_overwrite<char[]>(buffer_size);
  emergency_.attach(fd_, buffer_.get());

  std::array<std::uint32_t, type_count> next{};
  row_ = "\"time\"";
  for (const Signal& signal : header.signals) {
    cells_.push_back({signal.type, next[static_cast<std::size_t>(signal.type)]++});
    row_.push_back(',');
    append_quoted(row_, signal.name);
  }
  row_.push_back('\n');
  row_.reserve(std::max(row_.capacity(), 26 * (cells_.size() + 1)));  // longest possible row of numbers
}

void CsvSink::write(Time t, const Columns& row) {
  if (failed_)
    throw run_error("no more rows can be written to {} because an earlier write failed; repeat the run", name_);
  CONSORT_ASSERT(fd_ >= 0);
  format(t, row);
  store_row();
  if (--rows_left_ == 0) flush_when_due();
}

// Writes the row to row_.
void CsvSink::format(Time t, const Columns& row) {
  row_.clear();
  append_number(row_, t);
  for (const Cell cell : cells_) {
    row_.push_back(',');
    with_type(cell.type, [&]<class T>() {
      CONSORT_ASSERT(cell.index < row.column<T>().size());
      append_cell(row_, row.column<T>()[cell.index]);
    });
  }
  row_.push_back('\n');
}

void CsvSink::flush() {
  if (failed_ || fd_ < 0) return;
  {
    const os::EmergencyFlush::Writing writing(emergency_);
    put(buffer_.get(), std::exchange(used_, 0));
  }
  last_flush_ = std::chrono::steady_clock::now();
}

void CsvSink::end() {
  flush();
  close();
}

// --- internal

void CsvSink::open(int how) {
  if (path_ == "-") {
    fd_ = STDOUT_FILENO;
    owns_fd_ = false;
    return;
  }
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | how | O_CLOEXEC | O_NOCTTY, 0666);
  if (fd_ < 0) {
    const int error = errno;
    throw input_error("cannot write the result to {}: {}; choose another place with --output-file", name_,
                      std::generic_category().message(error));
  }
  owns_fd_ = true;
  struct stat status {};
  regular_ = ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
}

void CsvSink::close() noexcept {
  emergency_.detach();
  if (owns_fd_ && fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void CsvSink::store_row() {
  if (used_ + row_.size() > buffer_size) flush();
  if (row_.size() > buffer_size) {
    const os::EmergencyFlush::Writing writing(emergency_);
    put(row_.data(), row_.size());
    return;
  }
  std::memcpy(buffer_.get() + used_, row_.data(), row_.size());
  used_ += row_.size();
  emergency_.complete(used_);
}

// The stride adapts so that the clock is read about every quarter of a second; see FlushClock.
void CsvSink::flush_when_due() {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  const auto passed = now - last_look_;
  last_look_ = now;
  if (passed > 250ms) {
    stride_ = std::max(1U, stride_ / 4);
  } else if (passed < 100ms) {
    stride_ = std::min(1024U, stride_ * 2);
  }
  rows_left_ = stride_;
  if (now - last_flush_ >= 750ms) flush();
}

void CsvSink::put(const char* data, std::size_t size) {
  std::size_t written = 0;
  while (written < size) {
    const ssize_t n = ::write(fd_, data + written, size - written);
    if (n >= 0) {
      written += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {  // another program made standard output non-blocking
      struct pollfd waiting {
        fd_, POLLOUT, 0
      };
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      fail(errno, data, written);
    }
  }
  file_size_ += size;
}

void CsvSink::fail(int error, const char* data, std::size_t written) {
  failed_ = true;
  emergency_.detach();
  file_size_ += complete_rows(data, written);
  std::string kept;
  if (regular_ && ::ftruncate(fd_, static_cast<off_t>(file_size_)) == 0) kept = "; the rows written before are intact";
  if (error == EPIPE)
    throw run_error("the reader of {} has closed it, so the run ends here; write to a file to keep the whole result",
                    name_);
  throw run_error("cannot write to {}: {}{}; make room or choose another place with --output-file, then repeat the run",
                  name_, std::generic_category().message(error), kept);
}

}  // namespace consort::record
