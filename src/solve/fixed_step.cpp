// The methods are templates; this file compiles their header on its own.
#include "solve/fixed_step.hpp"
