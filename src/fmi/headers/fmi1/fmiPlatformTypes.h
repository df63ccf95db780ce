/* FMI 1.0 for Co-Simulation: types. */
#ifndef fmiPlatformTypes_h
#define fmiPlatformTypes_h

#include "fmi1Shared.h"

#define fmiPlatform "standard32"

#endif
