#include "record/mat/mat_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::record {

static_assert(std::endian::native == std::endian::little, "elements are byte-swapped if the file is big endian");

namespace {

// --- matrices

template <class T>
double element_at(const char* data, bool swap) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), data, sizeof(T));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return static_cast<double>(std::bit_cast<T>(bytes));
}

// A matrix in the bytes of the file. `columns` is reduced to the complete columns if the file ends early.
struct Matrix {
  std::string_view bytes;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t missing_columns = 0;
  int precision = 0;
  bool swap = false;
  std::uint64_t element_size = 0;

  [[nodiscard]] double at(std::uint64_t row, std::uint64_t column) const {
    const char* const data = bytes.data() + (column * rows + row) * element_size;
    switch (precision) {
      case 0: return element_at<double>(data, swap);
      case 1: return element_at<float>(data, swap);
      case 2: return element_at<std::int32_t>(data, swap);
      case 3: return element_at<std::int16_t>(data, swap);
      case 4: return element_at<std::uint16_t>(data, swap);
      default: return element_at<std::uint8_t>(data, swap);
    }
  }
};

constexpr std::array<std::uint64_t, 6> sizes = {8, 4, 4, 2, 2, 1};

class MatFile {
 public:
  MatFile(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
    std::size_t at = 0;
    // Bytes after data_2 may be rows that are being written.
    while (at < bytes_.size() && !(find("data_2") != nullptr && find("name") != nullptr)) at = read_matrix(at);
  }

  [[nodiscard]] const Matrix* find(std::string_view name) const {
    const auto found = matrices_.find(name);
    return found == matrices_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Matrix& need(std::string_view name) const {
    const Matrix* const matrix = find(name);
    require(matrix != nullptr, "{}: has no matrix '{}'; give a MAT file (version 4) with trajectories", name_, name);
    require(matrix->missing_columns == 0, "{}: ends within the matrix '{}'; it is damaged, get it again", name_, name);
    return *matrix;
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::size_t read_matrix(std::size_t at) {
    std::array<std::int32_t, 5> header{};
    require(bytes_.size() - at >= sizeof header, "{}: ends within the header of a matrix; it is damaged, get it again",
            name_);
    std::memcpy(header.data(), bytes_.data() + at, sizeof header);
    // In the correct byte order, the type code is below 5000.
    const bool swap = header[0] < 0 || header[0] > 4999;
    if (swap) {
      for (auto& h : header) h = std::bit_cast<std::int32_t>(__builtin_bswap32(std::bit_cast<std::uint32_t>(h)));
    }
    const std::int32_t precision = header[0] / 10 % 10;
    const bool known = header[0] >= 0 && header[0] / 1000 == (swap ? 1 : 0) && header[0] / 100 % 10 == 0 &&
                       precision < 6 && header[0] % 10 < 2 && header[1] >= 0 && header[2] >= 0 && header[3] == 0 &&
                       header[4] > 0;
    require(known, "{}: is not a MAT file of version 4 (at byte {}); save it in that version (in Matlab: save -v4)",
            name_, at);
    at += sizeof header;
    const auto name_size = static_cast<std::size_t>(header[4]);
    require(name_size <= bytes_.size() - at, "{}: ends within the name of a matrix; it is damaged, get it again",
            name_);
    std::string_view name = bytes_.substr(at, name_size);
    name = name.substr(0, name.find('\0'));
    at += name_size;

    Matrix m;
    m.rows = static_cast<std::uint64_t>(header[1]);
    m.columns = static_cast<std::uint64_t>(header[2]);
    m.precision = precision;
    m.swap = swap;
    m.element_size = sizes[static_cast<std::size_t>(precision)];
    const std::uint64_t left = bytes_.size() - at;
    const std::uint64_t column_size = m.rows * m.element_size;  // below 2^34
    const std::uint64_t whole = column_size == 0 ? m.columns : std::min(m.columns, left / column_size);
    m.missing_columns = m.columns - whole;
    m.columns = whole;
    m.bytes = bytes_.substr(at, static_cast<std::size_t>(whole * column_size));
    matrices_.emplace(name, m);
    return m.missing_columns > 0 ? bytes_.size() : at + m.bytes.size();
  }

  std::string_view bytes_;
  std::string name_;
  std::map<std::string, Matrix, std::less<>> matrices_;
};

// A matrix of the trajectory layout, transposed or not: `item` is a variable; `part` is a character of its name, a
// property or a row of the result.
class Table {
 public:
  Table() = default;
  Table(const Matrix& matrix, bool transposed) : matrix_(&matrix), transposed_(transposed) {}
  [[nodiscard]] std::uint64_t items() const { return transposed_ ? matrix_->columns : matrix_->rows; }
  [[nodiscard]] std::uint64_t parts() const { return transposed_ ? matrix_->rows : matrix_->columns; }
  [[nodiscard]] double at(std::uint64_t item, std::uint64_t part) const {
    return transposed_ ? matrix_->at(part, item) : matrix_->at(item, part);
  }
  [[nodiscard]] std::string text(std::uint64_t item) const {
    std::string text;
    for (std::uint64_t part = 0; part < parts(); ++part) {
      const double c = at(item, part);
      if (!(c >= 1 && c < 256)) break;
      text.push_back(static_cast<char>(static_cast<unsigned char>(c)));
    }
    return std::string(trim(text));
  }

 private:
  const Matrix* matrix_ = nullptr;
  bool transposed_ = false;
};

// --- trajectories

bool is_transposed(const MatFile& file) {
  const Matrix& m = file.need("Aclass");
  const Table lines(m, false);
  const auto line = [&](std::uint64_t i) { return i < lines.items() ? lines.text(i) : std::string(); };
  require(line(0) == "Atrajectory", "{}: has no trajectories (its class is {}); give a result file", file.name(),
          quote(line(0)));
  const std::string layout = line(3);
  require(layout.empty() || layout == "binTrans" || layout == "binNormal",
          "{}: has the unknown layout {}; binTrans and binNormal can be read", file.name(), quote(layout));
  return layout == "binTrans";
}

// Splits "Height [m|cm]" and the type information of Dymola after ":#".
void split_description(std::string text, Signal& signal) {
  if (const auto hint = text.find(":#"); hint != std::string::npos) {
    const bool inside = hint > 0 && text[hint - 1] == '[';
    signal.discrete = text.find("type=", hint) != std::string::npos;
    text = std::string(trim(std::string_view(text).substr(0, hint))) + (inside ? "]" : "");
  }
  const auto open = text.rfind('[');
  if (open != std::string::npos && text.ends_with(']')) {
    std::string_view unit = std::string_view(text).substr(open + 1, text.size() - open - 2);
    signal.unit = std::string(trim(unit.substr(0, unit.find('|'))));
    text.resize(open);
  }
  signal.description = std::string(trim(text));
}

class Trajectories {
 public:
  Trajectories(const MatFile& file, const MatLimits& limits) : file_(file), limits_(limits) {
    transposed_ = is_transposed(file);
    names_ = Table(file.need("name"), transposed_);
    info_ = Table(file.need("dataInfo"), transposed_);
    if (const Matrix* m = file.find("description"); m != nullptr && m->missing_columns == 0) {
      descriptions_ = Table(*m, transposed_);
      has_descriptions_ = true;
    }
    data_[0] = data("data_1", true);
    data_[1] = data("data_2", false);
    require(info_.items() >= names_.items() && info_.parts() >= 2,
            "{}: dataInfo describes {} of {} variables; the file is damaged, get it again", file.name(), info_.items(),
            names_.items());
    require(names_.items() > 0, "{}: has no variables, not even time; give a result file", file.name());
  }

  Result read() {
    const std::uint64_t rows = rows_of(1);
    require(rows * names_.items() <= limits_.cells,
            "{}: {} signals of {} rows are more than can be read at once; record fewer or at a larger interval",
            file_.name(), names_.items(), rows);
    Result result;
    result.time = column(1, column_index(0), rows);
    for (std::size_t i = 0; i < result.time.size(); ++i) {
      require(std::isfinite(result.time[i]) && (i == 0 || result.time[i] >= result.time[i - 1]),
              "{}: time goes from {} to {} in row {}; times must not decrease", file_.name(),
              result.time[i == 0 ? 0 : i - 1], result.time[i], i + 1);
    }
    std::unordered_set<std::string> seen;
    for (std::uint64_t i = 1; i < names_.items(); ++i) {
      auto trajectory = read_one(i, rows);
      require(seen.insert(trajectory.signal.name).second, "{}: has two variables of the name {}; rename one of them",
              file_.name(), quote(trajectory.signal.name));
      result.trajectories.push_back(std::move(trajectory));
    }
    return result;
  }

 private:
  // Constants may be missing. If data_2 is truncated, its complete rows can only be read in the transposed layout.
  Table data(std::string_view name, bool whole) {
    const Matrix* const m = file_.find(name);
    if (m == nullptr) return {empty_, true};
    require(m->missing_columns == 0 || (!whole && transposed_),
            "{}: ends within the matrix '{}'; it is damaged, get it again", file_.name(), name);
    return {*m, transposed_};
  }
  [[nodiscard]] std::uint64_t rows_of(std::size_t table) const { return data_[table].items(); }

  [[nodiscard]] std::int64_t column_index(std::uint64_t variable) const {
    const double k = info_.at(variable, 1);
    require(std::abs(k) >= 1 && std::abs(k) <= 2147483647.0 && k == std::floor(k),
            "{}: dataInfo has the column {} for variable {}; the file is damaged, get it again", file_.name(), k,
            variable + 1);
    return static_cast<std::int64_t>(k);
  }

  [[nodiscard]] std::vector<double> column(std::size_t table, std::int64_t index, std::uint64_t rows) const {
    const Table& data = data_[table];
    const auto part = static_cast<std::uint64_t>(std::abs(index)) - 1;
    require(part < data.parts() || rows == 0,
            "{}: dataInfo refers to column {} of data_{}, which has {}; the file is "
            "damaged, get it again",
            file_.name(), part + 1, table + 1, data.parts());
    std::vector<double> numbers(static_cast<std::size_t>(rows));
    for (std::uint64_t row = 0; row < rows; ++row) {
      const double x = data.at(row, part);
      numbers[static_cast<std::size_t>(row)] = index < 0 ? -x : x;
    }
    return numbers;
  }

  [[nodiscard]] Result::Trajectory read_one(std::uint64_t variable, std::uint64_t rows) const {
    Result::Trajectory trajectory;
    trajectory.signal.name = names_.text(variable);
    if (has_descriptions_ && variable < descriptions_.items())
      split_description(descriptions_.text(variable), trajectory.signal);
    const double table = info_.at(variable, 0);
    require(table == 0 || table == 1 || table == 2,
            "{}: {} is said to be in data_{}; only data_1 and data_2 can be read", file_.name(),
            quote(trajectory.signal.name), table);
    if (table == 1) {
      const auto constant = column(0, column_index(variable), std::min<std::uint64_t>(1, rows_of(0)));
      require(!constant.empty(), "{}: {} is said to be in data_1, which is empty; the file is damaged, get it again",
              file_.name(), quote(trajectory.signal.name));
      trajectory.numbers.assign(static_cast<std::size_t>(rows), constant[0]);
    } else {
      trajectory.numbers = column(1, column_index(variable), rows);
    }
    return trajectory;
  }

  const MatFile& file_;
  MatLimits limits_;
  Matrix empty_;
  bool transposed_ = false;
  Table names_;
  Table info_;
  Table descriptions_;
  bool has_descriptions_ = false;
  std::array<Table, 2> data_;
};

}  // namespace

Result parse_mat_result(std::string_view bytes, const std::string& name_for_errors, const MatLimits& limits) {
  require(!bytes.empty(), "{}: is empty; give a MAT file (version 4) with trajectories", name_for_errors);
  const MatFile file(bytes, name_for_errors);
  return Trajectories(file, limits).read();
}

Result read_mat_result(const std::filesystem::path& path) { return parse_mat_result(read_file(path), path.string()); }

}  // namespace consort::record
