#include "record/mat/mat_sink.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"

namespace consort::record {

static_assert(std::endian::native == std::endian::little, "the type codes below are little endian");

namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
constexpr std::size_t most_description_bytes = std::size_t{16} << 20;  // limit for the whole matrix

// Type codes of MAT version 4: little endian and the element type.
enum Code : std::int32_t { doubles = 0, integers = 20, text = 51 };

class MatrixText {
 public:
  // Returns the offset of the header.
  std::size_t add_header(std::string_view name, Code code, std::size_t rows, std::size_t columns) {
    const std::size_t at = bytes_.size();
    const std::array<std::int32_t, 5> header = {code, static_cast<std::int32_t>(rows),
                                                static_cast<std::int32_t>(columns), 0,
                                                static_cast<std::int32_t>(name.size() + 1)};
    add(header.data(), sizeof header);
    add(name.data(), name.size());
    bytes_.push_back('\0');
    return at;
  }
  void add(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  // One column per line, padded with zeros.
  void add_lines(std::string_view name, const std::vector<std::string>& lines) {
    std::size_t longest = 1;
    for (const auto& line : lines) longest = std::max(longest, line.size());
    add_header(name, text, longest, lines.size());
    for (const auto& line : lines) {
      bytes_ += line;
      bytes_.append(longest - line.size(), '\0');
    }
  }

  // Dymola always stores this matrix by rows.
  void add_class(const std::array<std::string_view, 4>& lines) {
    constexpr std::size_t width = 11;
    add_header("Aclass", text, lines.size(), width);
    for (std::size_t column = 0; column < width; ++column) {
      for (const auto& line : lines) bytes_.push_back(column < line.size() ? line[column] : ' ');
    }
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Returns "text [unit]", shortened to `most` bytes but never inside a UTF-8 character.
std::string describe(const Signal& signal, std::size_t most) {
  std::string line = signal.description;
  const std::size_t room = most - std::min(most, signal.unit.size() + 3);
  if (line.size() > room) {
    std::size_t end = room;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
    line.resize(end);
  }
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (!signal.unit.empty()) line += (line.empty() ? "[" : " [") + signal.unit + "]";
  return line;
}

template <class T>
double number(const T& element) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Binary>) {
    return 0;  // unreachable: texts are never chosen
  } else if constexpr (std::is_base_of_v<Bool, T>) {
    return element.value ? 1.0 : 0.0;
  } else if constexpr (std::is_same_v<T, EnumValue>) {
    return static_cast<double>(element.value);
  } else {
    return static_cast<double>(element);
  }
}

}  // namespace

MatSink::MatSink(std::filesystem::path path) : path_(std::move(path)) {}

MatSink::~MatSink() {
  try {
    end();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): end() reports failures
  }
}

// --- the header

std::vector<std::size_t> MatSink::choose(const Header& header) {
  std::vector<std::size_t> chosen;
  std::array<std::uint32_t, type_count> next{};
  for (std::size_t i = 0; i < header.signals.size(); ++i) {
    const Signal& signal = header.signals[i];
    const std::uint32_t index = next[static_cast<std::size_t>(signal.type)]++;
    if (!is_scalar_like(signal.type)) {
      left_out_.push_back(signal.name);
      continue;
    }
    cells_.push_back({signal.type, index});
    chosen.push_back(i);
  }
  return chosen;
}

bool MatSink::resume(const Header&, std::uint64_t, const KnownRow*) {
  std::error_code error;
  require(!std::filesystem::exists(path_, error),
          "the result '{}' cannot be resumed from the checkpoint: no rows can be added to a MAT file; give another "
          "--output-file, which gets the rows after the checkpoint",
          path_.string());
  return false;
}

void MatSink::begin(const Header& header) {
  CONSORT_ASSERT(!file_.valid());
  const auto chosen = choose(header);
  std::vector<std::string> names = {"time"};
  std::vector<std::string> descriptions = {"Time [s]"};
  std::vector<std::int32_t> info = {0, 1, 0, -1};
  for (const std::size_t i : chosen) {
    names.push_back(header.signals[i].name);
    descriptions.push_back(
        describe(header.signals[i], std::max<std::size_t>(80, most_description_bytes / chosen.size())));
    info.insert(info.end(), {2, static_cast<std::int32_t>(names.size()), 0, -1});
  }

  MatrixText text;
  text.add_class({"Atrajectory", "1.1", "", "binTrans"});
  text.add_lines("name", names);
  text.add_lines("description", descriptions);
  text.add_header("dataInfo", integers, 4, names.size());
  text.add(info.data(), info.size() * sizeof info[0]);
  text.add_header("data_1", doubles, 1, 2);
  times_at_ = text.bytes().size();
  const std::array<double, 2> times{};
  text.add(times.data(), sizeof times);
  count_at_ = text.add_header("data_2", doubles, names.size(), 0) + 2 * sizeof(std::int32_t);

  file_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
  if (!file_.valid()) {
    const int error = errno;
    throw input_error("cannot write the result to '{}': {}; choose another place with --output-file", path_.string(),
                      std::generic_category().message(error));
  }
  put(0, text.bytes().data(), text.bytes().size());
  end_ = text.bytes().size();
  buffer_.resize(names.size() * std::max<std::size_t>(1, buffer_bytes / sizeof(double) / names.size()));
  clock_.restart();
}

std::vector<std::string> MatSink::warnings() const {
  if (left_out_.empty()) return {};
  std::string list;
  for (std::size_t i = 0; i < left_out_.size() && i < 10; ++i) list += (i == 0 ? "'" : "', '") + left_out_[i];
  if (left_out_.size() > 10)
    list += fmt::format("' and {} more", left_out_.size() - 10);
  else
    list += "'";
  return {
      fmt::format("'{}' leaves out {} (a MAT file holds numbers only); record to .csv or .h5 to keep texts and "
                  "binaries",
                  path_.string(), list)};
}

// --- rows

void MatSink::write(Time t, const Columns& row) {
  if (failed_) {
    throw run_error("no more rows can be written to '{}' because an earlier write failed; repeat the run",
                    path_.string());
  }
  CONSORT_ASSERT(file_.valid());
  double* to = buffer_.data() + used_;
  *to++ = t;
  for (const Cell cell : cells_) {
    with_type(cell.type, [&]<class T>() {
      CONSORT_ASSERT(cell.index < row.column<T>().size());
      *to++ = number(row.column<T>()[cell.index]);
    });
  }
  used_ += cells_.size() + 1;
  if (used_ == buffer_.size() || clock_.due()) flush();
}

// Writes the data first, then the number of rows: a kill in between loses only the last rows.
void MatSink::flush() {
  if (failed_ || !file_.valid()) return;
  if (const std::size_t size = std::exchange(used_, 0); size > 0) {
    const std::size_t width = cells_.size() + 1;
    const std::uint64_t rows = rows_ + size / width;
    if (rows > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      failed_ = true;
      throw run_error(
          "'{}' has as many rows as a MAT file can hold; record to .h5 or choose a larger --output-interval",
          path_.string());
    }
    put(end_, buffer_.data(), size * sizeof(double));
    if (rows_ == 0) put(times_at_, buffer_.data(), sizeof(double));
    put(times_at_ + sizeof(double), &buffer_[size - width], sizeof(double));
    const auto count = static_cast<std::int32_t>(rows);
    put(count_at_, &count, sizeof count);
    rows_ = rows;
    end_ += size * sizeof(double);
  }
  clock_.restart();
}

void MatSink::end() {
  flush();
  file_.reset();
}

void MatSink::put(std::uint64_t offset, const void* data, std::size_t size) {
  const auto* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::pwrite(file_.get(), from, size, static_cast<off_t>(offset));
    if (n < 0 && errno != EINTR) {
      const int error = errno;
      failed_ = true;
      (void)!::ftruncate(file_.get(), static_cast<off_t>(end_));  // readers would parse bytes after the last matrix
      throw run_error(
          "cannot write to '{}': {}; the rows written before are intact; make room or choose another place with "
          "--output-file, then repeat the run",
          path_.string(), std::generic_category().message(error));
    }
    if (n <= 0) continue;
    from += n;
    offset += static_cast<std::uint64_t>(n);
    size -= static_cast<std::size_t>(n);
  }
}

}  // namespace consort::record
