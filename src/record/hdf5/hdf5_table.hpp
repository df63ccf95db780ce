// Writes small tables to an HDF5 file, and reads them.
#pragma once

#include <vector>

#include "record/hdf5/hdf5_handle.hpp"
#include "record/sink.hpp"

namespace consort::record {

// Writes the dataset /report/NAME with one member per column; replaces an existing one. Throws Hdf5Failure.
void hdf5_write_table(hid_t file, const Table& table);
// All tables below /report, by name. Members that are neither numbers nor texts are left out, and so are tables that
// cannot be read, because rows are readable without them.
[[nodiscard]] std::vector<Table> hdf5_read_tables(hid_t file);

}  // namespace consort::record
