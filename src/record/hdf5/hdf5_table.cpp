#include "record/hdf5/hdf5_table.hpp"

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

}  // namespace

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
