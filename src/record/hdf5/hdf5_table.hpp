// Writes small tables to an HDF5 file.
#pragma once

#include "record/hdf5/hdf5_handle.hpp"
#include "record/sink.hpp"

namespace consort::record {

// Writes the dataset /report/NAME with one member per column; replaces an existing one. Throws Hdf5Failure.
void hdf5_write_table(hid_t file, const Table& table);

}  // namespace consort::record
