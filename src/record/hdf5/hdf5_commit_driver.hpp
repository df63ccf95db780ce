// A file driver for HDF5 that keeps the file valid at every moment, also after kill -9 and on a full disk.
//
// Raw data are written at once, because nothing in the file refers to them yet. Metadata are buffered until HDF5
// flushes. They are then written in an order such that everything reachable from the superblock is complete after each
// single write:
//   1. blocks in space allocated since the last commit, to which nothing in the file refers,
//   2. the superblock, which contains the length of the file,
//   3. heaps, last pages first; some collections of texts in several steps (hdf5_text_collection.hpp),
//   4. nodes of B-trees, parents before children: an old child holds all entries that its parent directs to it,
//   5. object headers, with the extents of datasets, newest first, so that the oldest dataset grows last.
// Nodes are aligned to pages, so that a node is never partially written. A failed write (disk full) freezes the file in
// its last committed state. The driver then reports success to HDF5, so that HDF5 can close the file without errors.
#pragma once

#include <cstddef>

#include <hdf5.h>

namespace consort::record {

// Bytes that the system writes atomically.
inline constexpr haddr_t page = 4096;

struct CommitStatus {
  int error = 0;  // errno of the first failed write, after which the file is frozen; 0: no failure
};

// Makes files opened with `access` use the driver. `status` must outlive the file. Check it after every call that
// writes, because the call itself does not fail. `cache_size`: size of the HDF5 metadata cache in bytes on disk; the
// metadata take several times as much in memory.
void use_commit_driver(hid_t access, CommitStatus& status, std::size_t cache_size);

}  // namespace consort::record
