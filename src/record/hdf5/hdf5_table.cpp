#include "record/hdf5/hdf5_table.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace consort::record {

namespace {

constexpr const char* doing = "write a table of the report";
constexpr std::size_t entry = 8;  // bytes of a number or of a pointer to a text
static_assert(sizeof(double) == entry && sizeof(char*) == entry);

std::vector<std::byte> pack(const Table& table) {
  const std::size_t width = entry * table.columns.size();
  std::vector<std::byte> bytes(width * table.rows());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto& column = table.columns[c];
    CONSORT_ASSERT((column.is_text ? column.texts.size() : column.numbers.size()) == table.rows());
    for (std::size_t r = 0; r < table.rows(); ++r) {
      std::byte* const to = bytes.data() + r * width + c * entry;
      if (column.is_text) {
        const char* const text = column.texts[r].c_str();
        std::memcpy(to, &text, entry);
      } else {
        std::memcpy(to, &column.numbers[r], entry);
      }
    }
  }
  return bytes;
}

constexpr const char* reading = "read the tables of the report";

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  try {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  } catch (...) {  // called by C code
    return -1;
  }
}

Table::Column read_column(hid_t dataset, const std::string& name, bool is_text, std::size_t rows) {
  Table::Column column{.name = name, .is_text = is_text};
  if (rows == 0) return column;
  const Hdf5Id text = hdf5_text_type();
  const Hdf5Id type(H5Tcreate(H5T_COMPOUND, entry), H5Tclose, reading);
  hdf5_check(H5Tinsert(type, name.c_str(), 0, is_text ? static_cast<hid_t>(text) : H5T_NATIVE_DOUBLE), reading);
  if (!is_text) {
    column.numbers.resize(rows);
    hdf5_check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, column.numbers.data()), reading);
    return column;
  }
  std::vector<char*> texts(rows, nullptr);
  hdf5_check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), reading);
  for (const char* const t : texts) column.texts.emplace_back(t == nullptr ? "" : t);
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose, reading);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data());
  return column;
}

Table read_table(hid_t group, const std::string& name) {
  const Hdf5Id dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose, reading);
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose, reading);
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose, reading);
  hsize_t rows = 0;
  if (H5Tget_class(type) != H5T_COMPOUND || H5Sget_simple_extent_ndims(space) != 1) throw Hdf5Failure{reading};
  hdf5_check(H5Sget_simple_extent_dims(space, &rows, nullptr), reading);
  // Checked before memory is allocated.
  if (rows > H5Dget_storage_size(dataset) / std::max<std::size_t>(1, H5Tget_size(type))) throw Hdf5Failure{reading};
  Table table;
  table.name = name;
  for (int i = 0; i < H5Tget_nmembers(type); ++i) {
    const auto index = static_cast<unsigned>(i);
    const auto kind = H5Tget_member_class(type, index);
    if (kind != H5T_FLOAT && kind != H5T_STRING) continue;
    char* const member = H5Tget_member_name(type, index);
    if (member == nullptr) throw Hdf5Failure{reading};
    const std::string column = member;
    H5free_memory(member);
    table.columns.push_back(read_column(dataset, column, kind == H5T_STRING, static_cast<std::size_t>(rows)));
  }
  return table;
}

void add_if_readable(hid_t group, const std::string& name, std::vector<Table>& tables) {
  try {
    tables.push_back(read_table(group, name));
  } catch (const Hdf5Failure&) {  // the others may be readable
  }
}

}  // namespace

std::vector<Table> hdf5_read_tables(hid_t file) {
  std::vector<Table> tables;
  try {
    if (H5Lexists(file, "/report", H5P_DEFAULT) <= 0) return tables;
    const Hdf5Id group(H5Gopen2(file, "/report", H5P_DEFAULT), H5Gclose, reading);
    std::vector<std::string> names;
    hsize_t at = 0;
    hdf5_check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, collect_name, &names), reading);
    for (const auto& name : names) add_if_readable(group, name, tables);
  } catch (const Hdf5Failure&) {  // it is not a group
  }
  return tables;
}

void hdf5_write_table(hid_t file, const Table& table) {
  if (table.columns.empty()) return;
  const Hdf5Id text = hdf5_text_type();
  const Hdf5Id type(H5Tcreate(H5T_COMPOUND, entry * table.columns.size()), H5Tclose, doing);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const hid_t member = table.columns[c].is_text ? static_cast<hid_t>(text) : H5T_NATIVE_DOUBLE;
    hdf5_check(H5Tinsert(type, table.columns[c].name.c_str(), c * entry, member), doing);
  }
  const std::string path = "/report/" + table.name;
  if (H5Lexists(file, "/report", H5P_DEFAULT) > 0 && H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0)
    hdf5_check(H5Ldelete(file, path.c_str(), H5P_DEFAULT), doing);
  const hsize_t count = table.rows();
  const Hdf5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, doing);
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, doing);
  hdf5_check(H5Pset_create_intermediate_group(links, 1), doing);
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, doing);
  hdf5_check(H5Pset_obj_track_times(creation, 0), doing);  // without times, the same run writes the same file
  const Hdf5Id dataset(H5Dcreate2(file, path.c_str(), type, space, links, creation, H5P_DEFAULT), H5Dclose, doing);
  if (count == 0) return;
  const auto bytes = pack(table);
  hdf5_check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), doing);
}

}  // namespace consort::record
