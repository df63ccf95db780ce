// Work over precision: every solver of the table on four standard problems, as CSV and as a plot.
#pragma once

#include <filesystem>

namespace consort::bench {

// Writes work_precision.csv and work_precision.svg.
void report_work_and_precision(const std::filesystem::path& folder);
// DOPRI5 compared with the counts of the published code on the Arenstorf orbit; false if Consort needs over 5 % more.
bool report_arenstorf();
// Evaluations of our BDF over those of CVODE; false if it needs over 1.5 times as many on one of four problems.
bool report_bdf();

}  // namespace consort::bench
