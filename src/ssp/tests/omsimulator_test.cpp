// The run settings of OMSimulator, in the forms of its versions 2 and 3.
#include "ssp/tests/workshop.hpp"

namespace consort::ssp::omsimulator_test {
namespace {

using W = Workshop;
using describe::InterfaceType;
using ::testing::HasSubstr;

constexpr std::string_view xmlns = R"(xmlns:oms="https://raw.githubusercontent.com/OpenModelica/OMSimulator/x.xsd")";

// An annotation with this element inside <oms:Annotations>.
std::string annotation(std::string_view information) {
  return fmt::format(R"(<ssd:Annotations><ssc:Annotation type="org.openmodelica"><oms:Annotations {}>{})"
                     "</oms:Annotations></ssc:Annotation></ssd:Annotations>",
                     xmlns, information);
}
std::string information(std::string_view solver) {
  return annotation(fmt::format("<oms:SimulationInformation>{}</oms:SimulationInformation>", solver));
}

struct OMSimulator : ::testing::Test {
  OMSimulator() {
    w.fmu("resources/a.fmu").output("y");
    w.fmu("resources/b.fmu").input("u");
  }
  void structure(std::string_view of_a, std::string_view of_system, std::string_view of_all = {}) {
    w.structure(
        W::ssd(W::elements(W::component("a", "resources/a.fmu", W::connectors({{"y", "output"}}) + std::string(of_a)) +
                           W::component("b", "resources/b.fmu", W::connectors({{"u", "input"}}))) +
                   W::connections(W::connection("a.y", "b.u")) + std::string(of_system),
               of_all));
    static_cast<void>(w.plan());
  }
  [[nodiscard]] const graph::System& system() const { return w.document().system; }
  W w;
};

// The descriptions of the workshop offer the interfaces that are listed here.
describe::Description offering(std::initializer_list<InterfaceType> types) {
  describe::Description d;
  for (const auto type : types) {
    d.interfaces.emplace_back();
    d.interfaces.back().type = type;
  }
  return d;
}

TEST_F(OMSimulator, IntegratesTheUnitsOfASystemWithCvode) {
  structure({}, information(R"(<oms:VariableStepSolver description="cvode" relativeTolerance="1e-5" )"
                            R"(maximumStepSize="0.02"/>)"));
  for (const auto& component : system().components) {
    EXPECT_EQ(component.interface_of(offering({InterfaceType::co_simulation, InterfaceType::model_exchange})),
              InterfaceType::model_exchange);
    EXPECT_EQ(component.solver, "bdf");
  }
  EXPECT_EQ(system().experiment.tolerance, 1e-5);
  EXPECT_EQ(system().experiment.step, 0.02) << "units of one solver exchange values at communication points";
}

TEST_F(OMSimulator, StepsUnitsThatOfferCoSimulationOnly) {
  structure({}, information(R"(<oms:VariableStepSolver description="cvode" maximumStepSize="0.02"/>)"));
  EXPECT_EQ(system().components[0].interface_of(offering({InterfaceType::co_simulation})),
            InterfaceType::co_simulation);
}

TEST_F(OMSimulator, ExchangesValuesWithTheStepOfTheMaster) {
  structure({}, information(R"(<oms:FixedStepMaster description="oms-ma" stepSize="0.005"/>)"));
  EXPECT_FALSE(system().components[0].interface);
  EXPECT_EQ(system().experiment.step, 0.005);
}

TEST_F(OMSimulator, Version3NamesSolversAndRefersToThem) {
  structure(annotation(R"(<oms:SimulationInformation name="fine"/>)"), {},
            annotation(R"(<oms:SimulationInformation name="fine" method="cvode" tolerance="1e-7"/>)"));
  EXPECT_EQ(system().components[0].solver, "bdf");
  EXPECT_EQ(system().components[1].solver, "") << "b has no solver of its own";
  EXPECT_EQ(system().experiment.tolerance, 1e-7);
}

TEST_F(OMSimulator, ReportsUnknownSolvers) {
  structure(annotation(R"(<oms:SimulationInformation name="fin"/>)"), {},
            annotation(R"(<oms:SimulationInformation name="fine" method="cvode"/>)"));
  EXPECT_EQ(system().components[0].solver, "");
  EXPECT_THAT(w.problems(), HasSubstr("there is no solver 'fin'; did you mean 'fine'"));
  structure({}, information(R"(<oms:VariableStepSolver description="magic"/>)"));
  EXPECT_THAT(w.problems(), HasSubstr("the solver 'magic' is not known"));
}

}  // namespace
}  // namespace consort::ssp::omsimulator_test
