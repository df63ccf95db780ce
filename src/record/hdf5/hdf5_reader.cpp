#include "record/hdf5/hdf5_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/hdf5/hdf5_handle.hpp"
#include "record/hdf5/hdf5_table.hpp"

namespace consort::record {

namespace {

constexpr std::size_t strip_bytes = std::size_t{1} << 20;

// Texts in memory allocated by HDF5, which must also free it.
class Texts {
 public:
  Texts(hid_t type, std::size_t count) : type_(type), count_(count), pointers_(count, nullptr) {}
  ~Texts() {
    const hsize_t size = count_;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    if (count_ > 0 && space >= 0) H5Dvlen_reclaim(type_, space, H5P_DEFAULT, pointers_.data());
    if (space >= 0) H5Sclose(space);
  }
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;
  [[nodiscard]] char** data() { return pointers_.data(); }
  [[nodiscard]] std::string operator[](std::size_t i) const {
    return pointers_[i] == nullptr ? std::string() : std::string(pointers_[i]);
  }

 private:
  hid_t type_;
  std::size_t count_;
  std::vector<char*> pointers_;
};

// --- attributes of the file

// Called by C code, so exceptions must not leave it.
herr_t collect_fact(hid_t object, const char* name, const H5A_info_t*, void* facts) {
  try {
    if (std::string_view(name) == "format" || std::string_view(name) == "version") return 0;
    const Hdf5Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "read an attribute");
    static_cast<std::vector<Fact>*>(facts)->push_back({name, hdf5_text_of(attribute)});
    return 0;
  } catch (...) {
    return -1;
  }
}

// --- one dataset

struct Dataset {
  Hdf5Id id;
  std::uint64_t rows = 0;
  std::uint64_t columns = 1;
  std::uint64_t chunk_rows = 1;
};

struct Column {
  std::size_t column = 0;
  std::size_t trajectory = 0;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : name_(path.string()) { open(path); }

  Result read() {
    Result result;
    result.facts = facts();
    result.tables = hdf5_read_tables(file_);
    read_variables(result);
    time_ = open_dataset("/time", 1);
    rows_ = time_.rows;
    for (auto& [path, dataset] : datasets_) rows_ = std::min(rows_, dataset.rows);
    check_promises();
    read_time(result);
    for (auto& [path, dataset] : datasets_) read_columns(path, dataset, result);
    cut(result);
    return result;
  }

  std::vector<Fact> facts() {
    const Hdf5Id root(H5Gopen2(file_, "/", H5P_DEFAULT), H5Gclose, "open it");
    const bool ours =
        H5Aexists(root, "format") > 0 &&
        hdf5_text_of(Hdf5Id(H5Aopen(root, "format", H5P_DEFAULT), H5Aclose, "read an attribute")) == hdf5_format_name;
    require(ours, "{}: is HDF5, but not a result written by Consort; convert it to one of the other formats", name_);
    std::vector<Fact> facts;
    hsize_t at = 0;
    hdf5_check(H5Aiterate2(root, H5_INDEX_NAME, H5_ITER_NATIVE, &at, collect_fact, &facts), "read the facts");
    return facts;
  }

 private:
  void open(const std::filesystem::path& path) {
    if (::access(path.c_str(), R_OK) != 0) {
      throw input_error("cannot read '{}': {}; check its name", name_, std::generic_category().message(errno));
    }
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set up the file");
    hdf5_check(H5Pset_file_locking(access, false, true), "set up the file");
    file_ = Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open it");
  }

  void read_variables(Result& result) {
    const Dataset table = open_dataset("/variables", 1);
    require(table.rows <= H5Dget_storage_size(table.id) / 8,
            "{}: the table of variables announces {} rows, more than it contains; the file is damaged, repeat the run",
            name_, table.rows);
    const Hdf5Id type = hdf5_variable_type();
    std::vector<Hdf5Variable> rows(static_cast<std::size_t>(table.rows));
    if (rows.empty()) return;
    hdf5_check(H5Dread(table.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), "read the table of variables");
    try {
      for (const Hdf5Variable& row : rows) add_variable(row, result);
    } catch (...) {
      reclaim(type, rows);
      throw;
    }
    reclaim(type, rows);
  }

  static void reclaim(hid_t type, std::vector<Hdf5Variable>& rows) {
    const hsize_t count = rows.size();
    const Hdf5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, "read the table of variables");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, rows.data());
  }

  void add_variable(const Hdf5Variable& row, Result& result) {
    const auto text = [](const char* t) { return t == nullptr ? std::string() : std::string(t); };
    std::optional<Type> type;
    for (std::size_t i = 0; i < type_count; ++i) {
      if (name_of(static_cast<Type>(i)) == text(row.type)) type = static_cast<Type>(i);
    }
    require(type.has_value(), "{}: '{}' has the unknown type {}; the file is damaged, repeat the run", name_,
            text(row.name), quote(text(row.type)));
    const std::string path = text(row.dataset);
    auto found = datasets_.find(path);
    if (found == datasets_.end()) found = datasets_.emplace(path, open_dataset(path, 2)).first;
    require(row.column >= 0 && static_cast<std::uint64_t>(row.column) < found->second.columns,
            "{}: '{}' is not in column {} of {}, which has {}; the file is damaged, repeat the run", name_,
            text(row.name), row.column, path, found->second.columns);
    require(columns_[path].size() < found->second.columns,
            "{}: {} has fewer columns than variables; the file is damaged, repeat the run", name_, path);
    columns_[path].push_back({static_cast<std::size_t>(row.column), result.trajectories.size()});
    const bool same_type = types_.try_emplace(path, *type).first->second == *type;
    require(same_type, "{}: {} holds more than one type; the file is damaged, repeat the run", name_, path);
    result.trajectories.push_back(
        {{text(row.name), *type, text(row.unit), text(row.description), row.discrete != 0, text(row.group)}, {}, {}});
  }

  Dataset open_dataset(const std::string& path, int rank) {
    Dataset dataset;
    dataset.id = Hdf5Id(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose, "find its datasets");
    const Hdf5Id space(H5Dget_space(dataset.id), H5Sclose, "read an extent");
    std::array<hsize_t, 2> extent = {0, 1};
    if (H5Sget_simple_extent_ndims(space) != rank) throw Hdf5Failure{"find datasets of the right shape"};
    hdf5_check(H5Sget_simple_extent_dims(space, extent.data(), nullptr), "read an extent");
    dataset.rows = extent[0];
    dataset.columns = extent[1];
    const Hdf5Id creation(H5Dget_create_plist(dataset.id), H5Pclose, "read the layout");
    std::array<hsize_t, 2> chunk = {1, 1};
    if (H5Pget_layout(creation) == H5D_CHUNKED) H5Pget_chunk(creation, rank, chunk.data());
    dataset.chunk_rows = std::max<hsize_t>(1, chunk[0]);
    return dataset;
  }

  // Checks announced sizes before memory is allocated for them. Deflate compresses at most 1 : 1032.
  void check_promises() {
    const auto check = [&](const std::string& path, const Dataset& dataset, std::uint64_t element) {
      const double most = 1100.0 * static_cast<double>(H5Dget_storage_size(dataset.id)) + 1e6;
      const double promised =
          static_cast<double>(rows_) * static_cast<double>(dataset.columns) * static_cast<double>(element);
      require(promised <= most, "{}: {} announces more rows than the file contains; it is damaged, repeat the run",
              name_, path);
    };
    check("/time", time_, sizeof(double));
    for (const auto& [path, dataset] : datasets_) check(path, dataset, 1);
  }

  // Reads rows in strips of whole chunks: `take(memory, file, type, first, count)` reads the elements of all columns
  // and returns false if it fails.
  template <class Element, class Take>
  void read_strips(const std::string& path, const Dataset& dataset, hid_t type, int rank, Take&& take) {
    const std::uint64_t row_bytes = std::max<std::uint64_t>(1, dataset.columns * sizeof(Element));
    const std::uint64_t chunks = std::max<std::uint64_t>(1, strip_bytes / row_bytes / dataset.chunk_rows);
    const std::uint64_t strip_rows = chunks * dataset.chunk_rows;
    const Hdf5Id file_space(H5Dget_space(dataset.id), H5Sclose, "read rows");
    std::uint64_t rows_at_once = strip_rows;
    for (std::uint64_t first = 0; first < rows_;) {
      const hsize_t begin[2] = {first, 0};
      const hsize_t count[2] = {std::min(rows_at_once, rows_ - first), dataset.columns};
      hdf5_check(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, begin, nullptr, count, nullptr), "read rows");
      const Hdf5Id memory(H5Screate_simple(rank, count, nullptr), H5Sclose, "read rows");
      if (take(memory, file_space, type, first, count[0])) {
        first += count[0];
      } else if (rows_at_once > dataset.chunk_rows) {
        rows_at_once = dataset.chunk_rows;  // find the unreadable chunk
      } else {
        require(first + count[0] >= rows_, "{}: {} cannot be read from row {} on; the file is damaged, repeat the run",
                name_, path, first + 1);
        rows_ = first;
      }
    }
  }

  void read_time(Result& result) {
    const Hdf5Id type = hdf5_type(Type::Float64);
    result.time.resize(static_cast<std::size_t>(rows_));
    read_strips<double>("/time", time_, type, 1, [&](hid_t memory, hid_t file, hid_t t, std::uint64_t first, hsize_t) {
      return H5Dread(time_.id, t, memory, file, H5P_DEFAULT, result.time.data() + first) >= 0;
    });
  }

  void read_columns(const std::string& path, const Dataset& dataset, Result& result) {
    const Type kind = types_.at(path);
    const Hdf5Id type = hdf5_type(kind);
    const std::vector<Column>& columns = columns_.at(path);
    if (kind == Type::String || kind == Type::Binary) {
      read_strips<char*>(path, dataset, type, 2, [&](hid_t memory, hid_t file, hid_t t, std::uint64_t, hsize_t count) {
        Texts strip(t, static_cast<std::size_t>(count * dataset.columns));
        if (H5Dread(dataset.id, t, memory, file, H5P_DEFAULT, strip.data()) < 0) return false;
        for (const Column& c : columns) {
          auto& texts = result.trajectories[c.trajectory].texts;
          for (hsize_t i = 0; i < count; ++i)
            texts.push_back(strip[static_cast<std::size_t>(i * dataset.columns) + c.column]);
        }
        return true;
      });
      return;
    }
    with_type(kind, [&]<class T>() {
      if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, Binary>) {
        read_numbers<T>(path, dataset, type, columns, result);
      }
    });
  }

  template <class T>
  void read_numbers(const std::string& path, const Dataset& dataset, hid_t type, const std::vector<Column>& columns,
                    Result& result) {
    using Stored = std::conditional_t<std::is_base_of_v<Bool, T>, std::uint8_t,
                                      std::conditional_t<std::is_same_v<T, EnumValue>, std::int64_t, T>>;
    for (const Column& c : columns) result.trajectories[c.trajectory].numbers.reserve(static_cast<std::size_t>(rows_));
    std::vector<Stored> strip;
    read_strips<Stored>(path, dataset, type, 2, [&](hid_t memory, hid_t file, hid_t t, std::uint64_t, hsize_t count) {
      strip.resize(static_cast<std::size_t>(count * dataset.columns));
      if (H5Dread(dataset.id, t, memory, file, H5P_DEFAULT, strip.data()) < 0) return false;
      for (const Column& c : columns) {
        auto& numbers = result.trajectories[c.trajectory].numbers;
        for (std::size_t at = c.column; at < strip.size(); at += static_cast<std::size_t>(dataset.columns))
          numbers.push_back(static_cast<double>(strip[at]));
      }
      return true;
    });
  }

  // A dataset read later may have fewer readable rows than earlier ones.
  void cut(Result& result) const {
    const auto rows = static_cast<std::size_t>(rows_);
    result.time.resize(rows);
    for (auto& trajectory : result.trajectories) {
      if (trajectory.is_text()) {
        trajectory.texts.resize(rows);
      } else {
        trajectory.numbers.resize(rows);
      }
    }
  }

  std::string name_;
  Hdf5Id file_;
  Dataset time_;
  std::map<std::string, Dataset> datasets_;
  std::map<std::string, std::vector<Column>> columns_;
  std::map<std::string, Type> types_;
  std::uint64_t rows_ = 0;
};

}  // namespace

namespace {

// Calls `take(reader)`.
template <class Take>
auto read_file_of_ours(const std::filesystem::path& path, Take&& take) {
  const Hdf5Session session;
  try {
    Reader reader(path);
    return take(reader);
  } catch (const Hdf5Failure& failure) {
    throw input_error(
        "{}: is not readable as an HDF5 result (cannot {}); give a file that Consort has written, or repeat the run",
        path.string(), failure.what);
  }
}

}  // namespace

Result read_hdf5_result(const std::filesystem::path& path) {
  return read_file_of_ours(path, [](Reader& reader) { return reader.read(); });
}

std::vector<Fact> read_hdf5_facts(const std::filesystem::path& path) {
  return read_file_of_ours(path, [](Reader& reader) { return reader.facts(); });
}

}  // namespace consort::record
