// Cost of recording every value at every step, compared with bare calls that write the same values to a file.
//
//   bench_record            the table
//   bench_record memory F N memory that a process needs to record N units to F (used by the table)
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <hdf5.h>

#include "measure.hpp"
#include "os/temp_folder.hpp"
#include "record/buffered_sink.hpp"
#include "record/formats.hpp"

namespace consort::bench {
namespace {

namespace fs = std::filesystem;

struct Shape {
  std::size_t units;
  std::size_t signals;  // of each unit
  std::size_t rows;
  [[nodiscard]] std::size_t width() const { return units * signals; }
  // As in record/hdf5/hdf5_sink.cpp.
  [[nodiscard]] std::size_t chunk_rows() const {
    const std::size_t bytes = std::clamp<std::size_t>((4096 * 1024) / (units + 1) / 4096 * 4096, 4096, 65536);
    return std::max<std::size_t>(1, bytes / (signals * sizeof(double)));
  }
};

// A few rows of numbers with all digits. They are reused, so that their creation costs nothing.
std::vector<Columns> make_rows(const Shape& shape) {
  std::vector<Columns> rows(16);
  double x = 0.1;
  for (auto& row : rows) {
    row.column<double>().resize(shape.width());
    for (double& value : row.column<double>()) value = std::sin(x += 0.37);
  }
  return rows;
}

record::Header make_header(const Shape& shape) {
  record::Header header;
  for (std::size_t u = 0; u < shape.units; ++u) {
    for (std::size_t s = 0; s < shape.signals; ++s) {
      header.signals.push_back(
          {fmt::format("unit{}.x{}", u, s), Type::Float64, "m", "", false, fmt::format("unit{}", u)});
    }
  }
  return header;
}

// --- Consort

struct Seconds {
  double begin = 1e9;  // until the first row
  double rows = 1e9;   // from the first row until the file is closed

  void keep_best(const Seconds& other) {
    begin = std::min(begin, other.begin);
    rows = std::min(rows, other.rows);
  }
};

template <class After>
Seconds record_rows(const fs::path& file, const Shape& shape, const std::vector<Columns>& rows, int compression,
                    After&& after) {
  const double start = cpu_seconds();
  const auto sink = record::make_sink(file, {.compression = compression});
  record::Sink* const sinks[] = {sink.get()};
  record::BufferedSink buffered(sinks);
  buffered.begin(make_header(shape));
  const double begun = cpu_seconds();
  for (std::size_t i = 0; i < shape.rows; ++i) {
    buffered.write(static_cast<double>(i) * 1e-3, rows[i % rows.size()]);
    if ((i + 1) % (shape.rows / 4) == 0) after(buffered);
  }
  buffered.end();
  return {begun - start, cpu_seconds() - begun};
}

// --- the bare calls: processor seconds from the first row until the file is closed

struct BareDataset {
  hid_t id = -1;
  hsize_t rows = 0;
};

BareDataset create(hid_t file, const std::string& name, const Shape& shape, int compression) {
  const hsize_t none[2] = {0, shape.signals};
  const hsize_t most[2] = {H5S_UNLIMITED, shape.signals};
  const hsize_t chunk[2] = {shape.chunk_rows(), shape.signals};
  const hid_t space = H5Screate_simple(2, none, most);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 2, chunk);
  if (compression > 0) H5Pset_deflate(creation, static_cast<unsigned>(compression));
  H5Pset_fill_time(creation, compression > 0 ? H5D_FILL_TIME_IFSET : H5D_FILL_TIME_NEVER);
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access, 1, 0, 0);
  const BareDataset dataset{H5Dcreate2(file, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, access), 0};
  H5Pclose(access);
  H5Pclose(creation);
  H5Sclose(space);
  return dataset;
}

void append(BareDataset& dataset, const Shape& shape, const double* values) {
  const hsize_t begin[2] = {dataset.rows, 0};
  const hsize_t count[2] = {shape.chunk_rows(), shape.signals};
  const hsize_t extent[2] = {dataset.rows + shape.chunk_rows(), shape.signals};
  H5Dset_extent(dataset.id, extent);
  const hid_t space = H5Dget_space(dataset.id);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr);
  const hid_t memory = H5Screate_simple(2, count, nullptr);
  H5Dwrite(dataset.id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values);
  H5Sclose(memory);
  H5Sclose(space);
  dataset.rows += shape.chunk_rows();
}

double write_bare_hdf5(const fs::path& path, const Shape& shape, const std::vector<Columns>& rows, int compression) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  std::vector<BareDataset> datasets;
  for (std::size_t u = 0; u < shape.units; ++u)
    datasets.push_back(create(file, fmt::format("unit{}", u), shape, compression));
  // Values come in rows, so they must be gathered before a chunk is written.
  std::vector<std::vector<double>> chunks(shape.units, std::vector<double>(shape.chunk_rows() * shape.signals));
  const Shape time_shape{1, 1, shape.rows};
  BareDataset time = create(file, "time", time_shape, compression);
  std::vector<double> times(time_shape.chunk_rows());
  const double begun = cpu_seconds();
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const double* from = rows[row % rows.size()].column<double>().data();
    const std::size_t in_chunk = row % shape.chunk_rows();
    for (auto& chunk : chunks) {
      std::memcpy(chunk.data() + in_chunk * shape.signals, from, shape.signals * sizeof(double));
      from += shape.signals;
    }
    times[row % times.size()] = static_cast<double>(row) * 1e-3;
    if (in_chunk + 1 == shape.chunk_rows() || row + 1 == shape.rows)
      for (std::size_t u = 0; u < shape.units; ++u) append(datasets[u], shape, chunks[u].data());
    if ((row + 1) % times.size() == 0 || row + 1 == shape.rows) append(time, time_shape, times.data());
  }
  H5Dclose(time.id);
  for (auto& dataset : datasets) H5Dclose(dataset.id);
  H5Fclose(file);
  return cpu_seconds() - begun;
}

double write_bare_csv(const fs::path& path, const Shape& shape, const std::vector<Columns>& rows, int) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return 0;
  const double begun = cpu_seconds();
  std::string line(32 * (shape.width() + 1), '\0');
  for (std::size_t i = 0; i < shape.rows; ++i) {
    char* at = line.data();
    at = std::to_chars(at, at + 32, static_cast<double>(i) * 1e-3).ptr;
    for (const double value : rows[i % rows.size()].column<double>()) {
      *at++ = ',';
      at = std::to_chars(at, at + 32, value).ptr;
    }
    *at++ = '\n';
    std::fwrite(line.data(), 1, static_cast<std::size_t>(at - line.data()), file);
  }
  std::fclose(file);
  return cpu_seconds() - begun;
}

double write_bare_mat(const fs::path& path, const Shape& shape, const std::vector<Columns>& rows, int) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return 0;
  const double begun = cpu_seconds();
  for (std::size_t i = 0; i < shape.rows; ++i) {
    const double t = static_cast<double>(i) * 1e-3;
    std::fwrite(&t, sizeof t, 1, file);
    const auto& row = rows[i % rows.size()].column<double>();
    std::fwrite(row.data(), sizeof row[0], row.size(), file);
  }
  std::fclose(file);
  return cpu_seconds() - begun;
}

// --- the table

struct Case {
  const char* name;
  const char* file;
  Shape shape;
  int compression;
  double (*bare)(const fs::path&, const Shape&, const std::vector<Columns>&, int);
};

constexpr Case cases[] = {
    {"HDF5, 1 unit of 1000", "r.h5", {1, 1000, 8000}, 0, write_bare_hdf5},
    {"HDF5, 100 units of 10", "r.h5", {100, 10, 8000}, 0, write_bare_hdf5},
    {"HDF5, 768 units of 2", "r.h5", {768, 2, 8192}, 0, write_bare_hdf5},
    {"HDF5, 1 unit of 8", "r.h5", {1, 8, 1'000'000}, 0, write_bare_hdf5},
    {"HDF5 gzip 1, 1 unit of 1000", "r.h5", {1, 1000, 800}, 1, write_bare_hdf5},
    {"CSV, 1000 columns", "r.csv", {1, 1000, 2000}, 0, write_bare_csv},
    {"CSV, 8 columns", "r.csv", {1, 8, 200'000}, 0, write_bare_csv},
    {"MAT, 1000 columns (bare fwrite)", "r.mat", {1, 1000, 8000}, 0, write_bare_mat},
};

void compare(const Case& c, const fs::path& folder) {
  const auto rows = make_rows(c.shape);
  const fs::path file = folder / c.file;
  double bare = 1e9;
  Seconds ours;
  double second = 1e9;  // the second and the last quarter of the rows: memory is warm in both
  double last = 1e9;
  for (int i = 0; i < 5; ++i) {  // alternately, so that both see the same load of the machine
    bare = std::min(bare, c.bare(file, c.shape, rows, c.compression));
    ours.keep_best(record_rows(file, c.shape, rows, c.compression, [](auto&) {}));
    std::vector<double> at;
    record_rows(file, c.shape, rows, c.compression, [&](record::BufferedSink& sink) {
      sink.flush();
      at.push_back(cpu_seconds());
    });
    second = std::min(second, at[1] - at[0]);
    last = std::min(last, at[3] - at[2]);
  }
  const double values = static_cast<double>(c.shape.rows * c.shape.width());
  fmt::print("{:<32} {:>9.2f} {:>9.2f} {:>7.2f} {:>12.2f} {:>9.1f}\n", c.name, 1e9 * bare / values,
             1e9 * ours.rows / values, ours.rows / bare, last / second, 1e3 * ours.begin);
}

// Cost of a row for the stepping thread: measured with a sink that takes no time.
void measure_producer() {
  class Nowhere : public record::Sink {
    void begin(const record::Header&) override {}
    void write(Time, const Columns&) override {}
    void flush() override {}
    void end() override {}
  };
  const Shape shape{1, 100, 400'000};
  const auto rows = make_rows(shape);
  Nowhere nowhere;
  record::Sink* const sinks[] = {&nowhere};
  const auto thread_seconds = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    record::BufferedSink buffered(sinks);
    buffered.begin(make_header(shape));
    const double begun = thread_seconds();
    for (std::size_t i = 0; i < shape.rows; ++i) buffered.write(static_cast<double>(i), rows[i % rows.size()]);
    best = std::min(best, thread_seconds() - begun);
  }
  fmt::print("\nto pass on a row of 100 doubles: {:.0f} ns on the stepping thread\n",
             1e9 * best / static_cast<double>(shape.rows));
}

int measure_memory(const std::string& file, std::size_t units) {
  const Shape shape{units, units > 500 ? 2U : 10U, 20'000};
  const auto rows = make_rows(shape);
  const double before = status_bytes("VmRSS");
  record_rows(file, shape, rows, 0, [](auto&) {});
  fmt::print("{:.1f}", (status_bytes("VmHWM") - before) / 1048576);
  return 0;
}

void measure_all(const char* program) {
  const os::TempFolder folder("bench");
  fmt::print("{:<32} {:>9} {:>9} {:>7} {:>12} {:>9}\n", "ns per value (processor time)", "bare", "recorded", "ratio",
             "last/2nd 1/4", "begin, ms");
  for (const Case& c : cases) compare(c, folder.path());
  measure_producer();
  for (const char* const name : {"m.h5", "m.csv", "m.mat"}) {
    for (const int units : {100, 768}) {
      const std::string command = fmt::format("{} memory {} {}", program, (folder.path() / name).string(), units);
      fmt::print("memory to record 20,000 rows of {} units to {}: {} MiB\n", units, name, output_of(command));
    }
  }
}

}  // namespace
}  // namespace consort::bench

int main(int argc, char** argv) {
  using namespace consort::bench;
  if (argc == 4 && std::string_view(argv[1]) == "memory") return measure_memory(argv[2], std::stoul(argv[3]));
  measure_all(argv[0]);
}
