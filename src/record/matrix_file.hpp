// Files of named matrices, texts and facts, for what is not a trajectory.
//
//   MAT (version 4)  numbers as matrices, complex ones where there is an imaginary part; lists of texts as matrices of
//                    characters, one row per text, padded with blanks; a text alone as one row
//   HDF5             a dataset per matrix (complex: a compound of r and i, as h5py has it), a dataset of texts per
//   list,
//                    attributes of the root for texts alone
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "record/sink.hpp"

namespace consort::record {

struct NamedMatrix {
  std::string name;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;       // row after row
  std::vector<double> imaginary{};  // empty: real
};

struct NamedTexts {
  std::string name;
  std::vector<std::string> texts;
};

struct MatrixFile {
  std::vector<NamedMatrix> matrices;
  std::vector<NamedTexts> lists;
  std::vector<Fact> facts;
};

// Replace the file. Throw Error (run) if it cannot be written; then no incomplete file is left.
void write_mat_matrices(const MatrixFile& contents, const std::filesystem::path& file);
void write_hdf5_matrices(const MatrixFile& contents, const std::filesystem::path& file);

}  // namespace consort::record
