// Compiler messages for mistakes in models, and validation of descriptions with the standard's schemas.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "os/temp_folder.hpp"
#include "tests/models/helpers.hpp"

namespace consort::models_test {
namespace {

using testing::HasSubstr;

// Compiler output for a model whose describe() declares these variables.
Output compile(const std::string& variables, const std::string& functions = "", const std::string& members = "") {
  const os::TempFolder folder("compile");
  const auto file = folder.path() / "model.cpp";
  std::ofstream(file) << "#include <consort/model.hpp>\nstruct Mine {\n"
                      << "  double x = 1, der_x = 0, y = 0;\n"
                      << members << "  static constexpr auto describe() {\n    using namespace consort::model;\n"
                      << "    return declare({.description = \"mine\"}, " << variables << ");\n  }\n"
                      << functions << "};\nconst auto* definition = &consort::model::definition_of<Mine>;\n";
  return run(std::string(CONSORT_COMPILER) + " -std=c++20 -fsyntax-only -I '" + places::source() + "/include' '" +
             file.string() + "'");
}

const std::string state = "state<&Mine::x, &Mine::der_x>(\"m\", \"place\")";
const std::string derivatives = "void derivatives() { der_x = 1; }\n";

TEST(BuildErrors, AreNoneForAGoodModel) {
  const Output output = compile(state, derivatives);
  EXPECT_EQ(output.status, 0) << output.text;
}

TEST(BuildErrors, SayThatAVariableIsDeclaredTwiceAndWhich) {
  const Output output = compile(state + ", local<&Mine::x>(\"again\")", derivatives);
  EXPECT_NE(output.status, 0);
  EXPECT_THAT(output.text, HasSubstr("a variable is declared twice in describe(); remove one of the two"));
  EXPECT_THAT(output.text, HasSubstr("declared_twice, Mine, 'x'>"));
}

TEST(BuildErrors, SayThatTwoVariablesHaveOneName) {
  const Output output = compile(state + ", local<&Mine::y>(\"another\").named(\"x\")", derivatives);
  EXPECT_NE(output.status, 0);
  EXPECT_THAT(output.text, HasSubstr("a variable is declared twice in describe(); remove one of the two"));
  EXPECT_THAT(output.text, HasSubstr("declared_twice, Mine, 'y'>"));  // the second member with this name
}

TEST(BuildErrors, SayThatAUnitIsNotKnownAndWhere) {
  const Output output = compile("local<&Mine::y>(\"furlong\", \"\").named(\"way\")");
  EXPECT_NE(output.status, 0);
  EXPECT_THAT(output.text, HasSubstr("a variable has a unit that Consort does not know"));
  EXPECT_THAT(output.text, HasSubstr("Mine, 'w', 'a', 'y'>"));
}

TEST(BuildErrors, SayThatADerivativeHasNoState) {
  EXPECT_THAT(compile("local<&Mine::x>(\"m\", \"\")", derivatives).text,
              HasSubstr("the model computes derivatives, but declares no state"));
  EXPECT_THAT(compile("local<&Mine::der_x>(\"m\", \"\").named(\"der(x)\")").text,
              HasSubstr("is not the derivative of a state"));
  EXPECT_THAT(compile(state).text,
              HasSubstr("the model declares states, but has no function void derivatives(double t)"));
}

TEST(BuildErrors, SayThatAModelMustBePlain) {
  EXPECT_THAT(compile(state, derivatives, "  std::string text;\n").text,
              testing::AnyOf(HasSubstr("is a plain struct"), HasSubstr("std::string")));
  EXPECT_THAT(compile("local<&Mine::p>(\"pointer\")", "", "  double* p = nullptr;\n").text,
              HasSubstr("a variable is a double, float, bool"));
}

TEST(BuildErrors, SayHowFunctionsAreWritten) {
  EXPECT_THAT(compile(state, "void derivatives(int*) { der_x = 1; }\n").text, HasSubstr("derivatives"));
  EXPECT_THAT(compile(state, derivatives + "void event(int*) {}\n").text,
              HasSubstr("event is written void event(consort::model::Event& e)"));
}

// The schemas are part of the standard, not of this project. FMI 1.0 has one per interface, or one for both.
std::filesystem::path schema_of(const std::filesystem::path& schemas, const std::string& version) {
  return schemas / version / (version == "fmi1" ? "fmiModelDescription.xsd" : version + "ModelDescription.xsd");
}

TEST(Schemas, AcceptEveryDescription) {
  const char* const schemas = std::getenv("CONSORT_FMI_SCHEMAS");
  if (schemas == nullptr) {
    GTEST_SKIP() << "set CONSORT_FMI_SCHEMAS to a folder with fmi1/fmiModelDescription.xsd (of both interfaces), "
                    "fmi2/fmi2ModelDescription.xsd and fmi3/fmi3ModelDescription.xsd with what they include";
  }
  if (std::string(CONSORT_XMLLINT).find("NOTFOUND") != std::string::npos) GTEST_SKIP() << "xmllint is missing";
  int checked = 0;
  for (const char* folder : {"fmi1/cs", "fmi1/me", "fmi2", "fmi3"}) {
    const auto schema = schema_of(schemas, std::string(folder, 4));
    ASSERT_TRUE(std::filesystem::exists(schema)) << schema;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(places::fmus()) / folder)) {
      const fmi::Fmu fmu = fmi::Fmu::open(entry.path());
      const Output output = run(std::string(CONSORT_XMLLINT) + " --noout --schema '" + schema.string() + "' '" +
                                (fmu.folder() / "modelDescription.xml").string() + "'");
      EXPECT_EQ(output.status, 0) << entry.path() << ": " << output.text;
      ++checked;
    }
  }
  EXPECT_GT(checked, 120);
}

TEST(Importer, FindsNothingToComplainAbout) {
  for (const char* version : {"fmi1/cs", "fmi1/me", "fmi2", "fmi3"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(places::fmus()) / version)) {
      const fmi::Fmu fmu = fmi::Fmu::open(entry.path(), {.strict = true});
      for (const Diagnostic& d : fmu.diagnostics().all()) ADD_FAILURE() << entry.path() << ": " << d.text();
    }
  }
}

}  // namespace
}  // namespace consort::models_test
