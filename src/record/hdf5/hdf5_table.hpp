// Small tables in an HDF5 file.
#pragma once

#include "record/hdf5/hdf5_handle.hpp"
#include "record/sink.hpp"

namespace consort::record {

// As the dataset /report/NAME with one member per column; one of that name that is there is replaced. Throws
// Hdf5Failure.
void hdf5_write_table(hid_t file, const Table& table);

}  // namespace consort::record
