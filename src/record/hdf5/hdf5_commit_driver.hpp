// How HDF5 reaches the disk so that its file is valid at every moment, also after kill -9 and on a full disk.
//
// Raw data go to the file at once: nothing refers to them yet. Metadata wait in memory until HDF5 flushes, and are then
// written in an order in which whatever is reachable from the superblock is complete after each single write:
//   1. blocks in space that is new since the last commit, to which nothing in the file refers,
//   2. the superblock, which says how long the file is,
//   3. heaps, last pages first,
//   4. nodes of B-trees, parents before children: an old child holds a superset of what its parent sends there,
//   5. object headers, with the extents of datasets, the newest first; so the oldest dataset is the last to grow.
// Nodes are aligned to pages, so that one is never half written. A write that fails (the disk is full) freezes the
// file: it stays as it was committed last, and HDF5 is told that all is well, which lets it close without a fuss.
#pragma once

#include <cstddef>

#include <hdf5.h>

namespace consort::record {

// Bytes that are written at once.
inline constexpr haddr_t page = 4096;

struct CommitStatus {
  int error = 0;  // errno of the first write that failed; the file is frozen from then on
};

// Makes files opened with `access` use the driver. `status` must outlive the file. Look at it after every call that
// writes: the call itself does not fail. `cache_size`: what HDF5 keeps of metadata, as they are on disk; in memory they
// take several times as much.
void use_commit_driver(hid_t access, CommitStatus& status, std::size_t cache_size);

}  // namespace consort::record
