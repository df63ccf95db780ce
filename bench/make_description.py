#!/usr/bin/python3
"""Writes a large, valid modelDescription.xml like those of modelling tools, for measuring how fast it is read.

usage: make_description.py FMI_VERSION(1|2|3) VARIABLES FILE

The same arguments give the same bytes. Variables come in blocks of twenty, one spring, mass and damper each, of every
type that all versions share; what is left over is filled up with parameters, and the last one is time (FMI 2 and 3).
"""

import sys
from xml.sax.saxutils import quoteattr

UNITS = [  # name, exponents of base units, display unit (name, factor, offset)
    ("kg", {"kg": 1}, None), ("N/m", {"kg": 1, "s": -2}, None), ("N.s/m", {"kg": 1, "s": -1}, None),
    ("m", {"m": 1}, ("mm", 1000, 0)), ("m/s", {"m": 1, "s": -1}, ("km/h", 3.6, 0)), ("m/s2", {"m": 1, "s": -2}, None),
    ("N", {"kg": 1, "m": 1, "s": -2}, ("kN", 0.001, 0)), ("W", {"kg": 1, "m": 2, "s": -3}, None),
    ("J", {"kg": 1, "m": 2, "s": -2}, None), ("K", {"K": 1}, ("degC", 1, -273.15)), ("rad/s", {"rad": 1,
     "s": -1}, None),
    ("s", {"s": 1}, None),
]
DISPLAY = {name: display[0] for name, _, display in UNITS if display}
QUANTITIES = [("Mass", "kg"), ("Position", "m"), ("Velocity", "m/s"), ("Force", "N"), ("Temperature", "K")]
MODES = ["Off", "Standby", "Active", "Fault"]

# name, type, causality, variability, initial, start, unit, declared type, description; {} is the number of the block.
BLOCK = [
    ("m", "Float64", "parameter", "fixed", "exact", 1.25, "kg", "Mass",
     "Sprung mass that rests on this spring and damper element"),
    ("c", "Float64", "parameter", "tunable", "exact", 18000.0, "N/m", "",
     "Stiffness of the spring at its operating point"),
    ("d", "Float64", "parameter", "tunable", "exact", 1500.5, "N.s/m", "",
     "Damping coefficient in compression & rebound"),
    ("x", "Float64", "local", "continuous", "exact", 0.1, "m", "Position",
     "Deflection of the mass against its rest position"),
    ("v", "Float64", "local", "continuous", "exact", 0.0, "m/s", "Velocity",
     "Velocity of the mass relative to the frame"),
    ("der(x)", "Float64", "local", "continuous", "calculated", None, "m/s", "",
     "Time derivative of the deflection of the mass"),
    ("der(v)", "Float64", "local", "continuous", "calculated", None, "m/s2", "",
     "Time derivative of the velocity of the mass"),
    ("f", "Float64", "input", "continuous", "", 0.0, "N", "Force", "External force that acts on the mass from outside"),
    ("y", "Float64", "output", "continuous", "calculated", None, "m", "Position",
     "Deflection as measured by the sensor (with feed-through)"),
    ("power", "Float64", "output", "continuous", "calculated", None, "W", "",
     "Power that flows into the element at its flange"),
    ("energy", "Float64", "local", "continuous", "calculated", None, "J", "",
     "Sum of the kinetic and the potential energy"),
    ("oil.T", "Float64", "local", "continuous", "calculated", None, "K", "Temperature",
     "Temperature of the damper's oil, shown in °C"),
    ("omega0", "Float64", "calculatedParameter", "fixed", "calculated", None, "rad/s", "",
     "Angular frequency of the undamped oscillation"),
    ("order", "Int32", "parameter", "fixed", "exact", 3, "", "",
     "Order of the filter behind the sensor of the element"),
    ("hits", "Int32", "local", "discrete", "calculated", None, "", "",
     "How often the mass has hit the bump stop so far"),
    ("enabled", "Boolean", "parameter", "fixed", "exact", True, "", "",
     "= true, if the bump stop is part of the element"),
    ("contact", "Boolean", "output", "discrete", "calculated", None, "", "",
     "= true, while the mass touches the bump stop"),
    ("mode", "Enumeration", "parameter", "fixed", "exact", 2, "", "Mode",
     "Operating mode of the controller of the element"),
    ("label", "String", "parameter", "fixed", "exact", "front <left> #{}", "", "",
     "Text that reports and plots show for the element"),
    ("g", "Float64", "local", "constant", "exact", 9.80665, "m/s2", "",
     "Standard acceleration of gravity at the surface"),
]
TIME = ("time", "Float64", "independent", "continuous", "", None, "s", "", "Simulation time")
PLACE = {row[0]: index for index, row in enumerate(BLOCK)}
DERIVATIVES = {"der(x)": "x", "der(v)": "v"}
# The dependencies of each unknown, at run time and at initialisation, with their kinds.
OUTPUTS = {"y": [("x", "constant"), ("f", "dependent")], "power": [("v", "dependent"), ("f", "dependent")],
           "contact": [("x", "dependent")]}
STATES = {"der(x)": [("v", "constant")], "der(v)": [("x", "tunable"), ("v", "tunable"), ("f", "fixed")]}
INITIAL = {"der(x)": ["v"], "der(v)": ["m", "c", "d", "x", "v", "f"], "y": ["x", "f"], "power": ["v", "f"],
           "omega0": ["m", "c"], "contact": ["x", "enabled"]}


def block_count(version, count):
    return (count if version == 1 else count - 1) // len(BLOCK)


def variables(version, count):
    """(block, name in the block, full name, row) of every variable."""
    blocks = block_count(version, count)
    for block in range(blocks):
        for row in BLOCK:
            prefix = f"vehicle.axle[{block // 8 + 1}].suspension[{block % 8 + 1}]."
            name = f"der({prefix}{row[0][4:]}" if row[0] in DERIVATIVES else prefix + row[0]
            yield block, row[0], name, row
    for index in range(count - blocks * len(BLOCK) - (version > 1)):
        yield blocks, "", f"vehicle.settings.coefficient[{index + 1}]", BLOCK[1]
    if version > 1:
        yield blocks, "", "time", TIME


def start_text(start, block):
    if isinstance(start, bool):
        return "true" if start else "false"
    if isinstance(start, float):
        return repr(start * (1 + block % 97 / 128))
    return start.format(block) if isinstance(start, str) else str(start)


def attributes(pairs):
    return "".join(f" {name}={quoteattr(str(value))}" for name, value in pairs if value not in ("", None))


def write_units(out, version):
    out.write("  <UnitDefinitions>\n")
    for name, exponents, display in UNITS:
        if version == 1:
            # FMI 1.0: value = gain * display value + offset, which is the inverse of later versions.
            pairs = [("displayUnit", display[0]), ("gain", 1 / display[1]), ("offset", -display[2])] if display else []
            child = f"<DisplayUnitDefinition{attributes(pairs)}/>" if display else ""
            out.write(f"    <BaseUnit unit={quoteattr(name)}>{child}</BaseUnit>\n")
        else:
            pairs = [("name", display[0]), ("factor", display[1]), ("offset", display[2])] if display else []
            child = f"<DisplayUnit{attributes(pairs)}/>" if display else ""
            out.write(f"    <Unit name={quoteattr(name)}><BaseUnit{attributes(exponents.items())}/>{child}</Unit>\n")
    out.write("  </UnitDefinitions>\n")


def write_types(out, version):
    out.write("  <TypeDefinitions>\n")
    items = "".join(f"<Item name={quoteattr(mode)}" + ("/>" if version == 1 else f' value="{number}"/>')
                    for number, mode in enumerate(MODES, 1))
    for name, unit in QUANTITIES:
        inner = attributes([("quantity", name), ("unit", unit), ("displayUnit", DISPLAY.get(unit))])
        out.write({1: f'    <Type name="{name}"><RealType{inner}/></Type>\n',
                   2: f'    <SimpleType name="{name}"><Real{inner}/></SimpleType>\n',
                   3: f'    <Float64Type name="{name}"{inner}/>\n'}[version])
    limits = f'min="1" max="{len(MODES)}"'
    out.write({1: f'    <Type name="Mode"><EnumerationType {limits}>{items}</EnumerationType></Type>\n',
               2: f'    <SimpleType name="Mode"><Enumeration>{items}</Enumeration></SimpleType>\n',
               3: f'    <EnumerationType name="Mode">{items}</EnumerationType>\n'}[version])
    out.write("  </TypeDefinitions>\n")


OLD_TYPES = {"Float64": "Real", "Int32": "Integer"}
OLD_CAUSALITY = {"parameter": "internal", "calculatedParameter": "internal", "local": "internal"}
OLD_VARIABILITY = {"fixed": "parameter", "tunable": "parameter"}


def write_variable_1(out, reference, variable):
    block, short, name, (_, kind, causality, variability, initial, start, unit, declared, text) = variable
    # In FMI 1.0, a calculated parameter is not a parameter, because it must not be set.
    variability = "discrete" if causality == "calculatedParameter" else OLD_VARIABILITY.get(variability, variability)
    out.write("    <ScalarVariable" + attributes([
        ("name", name), ("valueReference", reference), ("description", text), ("variability", variability),
        ("causality", OLD_CAUSALITY.get(causality, causality))]) + ">")
    has_start = start is not None
    fixed = "true" if has_start and causality == "local" and variability == "continuous" else None
    value = f" start={quoteattr(start_text(start, block))}" if has_start else ""
    out.write(f"<{OLD_TYPES.get(kind, kind)}" + attributes([("declaredType", declared), ("unit", unit)]) + value +
              attributes([("fixed", fixed)]) + "/>")
    if short in OUTPUTS:
        known = [n for n, _ in OUTPUTS[short] if BLOCK[PLACE[n]][2] == "input"]
        prefix = name[:-len(short)]
        out.write("<DirectDependency>" + "".join(f"<Name>{prefix}{n}</Name>" for n in known) + "</DirectDependency>")
    out.write("</ScalarVariable>\n")


def write_variable_2(out, reference, variable):
    block, short, name, (_, kind, causality, variability, initial, start, unit, declared, text) = variable
    out.write("    <ScalarVariable" + attributes([
        ("name", name), ("valueReference", reference), ("description", text), ("causality", causality),
        ("variability", variability), ("initial", initial)]) + ">")
    state = reference - PLACE[short] + PLACE[DERIVATIVES[short]] + 1 if short in DERIVATIVES else None
    out.write(f"<{OLD_TYPES.get(kind, kind)}" + attributes([("declaredType", declared), ("unit", unit)]) +
              (f" start={quoteattr(start_text(start, block))}" if start is not None else "") +
              attributes([("derivative", state)]) + "/></ScalarVariable>\n")


def write_variable_3(out, reference, variable):
    block, short, name, (_, kind, causality, variability, initial, start, unit, declared, text) = variable
    state = reference - PLACE[short] + PLACE[DERIVATIVES[short]] if short in DERIVATIVES else None
    out.write(f"    <{kind}" + attributes([
        ("name", name), ("valueReference", reference), ("description", text), ("causality", causality),
        ("variability", variability), ("initial", initial), ("declaredType", declared), ("unit", unit)]))
    value = quoteattr(start_text(start, block)) if start is not None else None
    if kind == "String" and value:
        out.write(f"><Start value={value}/></String>\n")
    else:
        out.write((f" start={value}" if value else "") + attributes([("derivative", state)]) + "/>\n")


def write_unknowns(out, blocks, element, table, first, label):
    """One element per unknown of every block; `first` is the number of the first variable."""
    for block in range(blocks):
        base = block * len(BLOCK) + first
        for short in sorted(table, key=PLACE.get):
            known = [entry if isinstance(entry, tuple) else (entry, "") for entry in table[short]]
            out.write(f"    <{element}" + attributes([
                (label, base + PLACE[short]), ("dependencies", " ".join(str(base + PLACE[n]) for n, _ in known)),
                ("dependenciesKind", " ".join(kind for _, kind in known).strip())]) + "/>\n")


def write_structure(out, version, count):
    blocks = block_count(version, count)
    out.write("  <ModelStructure>\n")
    if version == 2:
        for group, table in (("Outputs", OUTPUTS), ("Derivatives", STATES), ("InitialUnknowns", INITIAL)):
            if blocks:  # an empty list is not allowed
                out.write(f"   <{group}>\n")
                write_unknowns(out, blocks, "Unknown", table, 1, "index")
                out.write(f"   </{group}>\n")
    else:
        kinds = (("Output", OUTPUTS), ("ContinuousStateDerivative", STATES), ("InitialUnknown", INITIAL))
        for element, table in kinds:
            write_unknowns(out, blocks, element, table, 0, "valueReference")
    out.write("  </ModelStructure>\n")


def root(version, states):
    token = {1: "guid", 2: "guid", 3: "instantiationToken"}[version]
    common = [("fmiVersion", f"{version}.0"), ("modelName", "Vehicle.Measurement")]
    if version == 1:
        common += [("modelIdentifier", "Vehicle")]
    common += [(token, "{5b6d7b3e-93a4-4f0b-8a39-6a8f0f1c2d4e}"),
               ("description", "A large description for measurements"), ("generationTool", "make_description.py"),
               ("generationDateAndTime", "2024-01-01T00:00:00Z"), ("variableNamingConvention", "structured")]
    if version == 1:
        common += [("numberOfContinuousStates", states)]
    if version < 3:
        common += [("numberOfEventIndicators", 0)]
    return "<fmiModelDescription" + attributes(common) + ">\n"


def write(out, version, count):
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n' + root(version, block_count(version, count) * len(STATES)))
    if version > 1:
        for element in ("ModelExchange", "CoSimulation"):
            out.write(f'  <{element} modelIdentifier="Vehicle"/>\n')
    write_units(out, version)
    write_types(out, version)
    out.write('  <DefaultExperiment startTime="0" stopTime="10" tolerance="1e-6"/>\n  <ModelVariables>\n')
    write_variable = {1: write_variable_1, 2: write_variable_2, 3: write_variable_3}[version]
    for reference, variable in enumerate(variables(version, count)):
        write_variable(out, reference, variable)
    out.write("  </ModelVariables>\n")
    if version > 1:
        write_structure(out, version, count)
    out.write("</fmiModelDescription>\n")


def main(arguments):
    versions = ("1", "2", "3")
    if len(arguments) != 3 or arguments[0] not in versions or not arguments[1].isdigit() or int(arguments[1]) < 1:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[2], "w", encoding="utf-8") as out:
        write(out, int(arguments[0]), int(arguments[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
