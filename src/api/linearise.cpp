#include "api/linearise.hpp"

#include "consort/linearise.hpp"

namespace consort {

namespace api {

analyse::LineariseRequest linearise_request(const LineariseOptions& options, const std::string& fmu) {
  analyse::LineariseRequest request;
  request.at = options.at;
  request.solver = options.solver;
  request.tolerance = options.tolerance;
  request.eigenvectors = options.eigenvectors;
  request.only_unit = fmu;
  for (const auto& [path, value] : options.set)
    request.settings.push_back({fmu.empty() ? path : fmu + "." + path, value, {}, {}});
  return request;
}

}  // namespace api

void Linearisation::save(const std::filesystem::path& file) const { analyse::write_linearisation(*this, file); }

}  // namespace consort
