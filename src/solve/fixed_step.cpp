// The methods are templates; this is where their header is compiled by itself.
#include "solve/fixed_step.hpp"
