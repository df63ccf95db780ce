/* FMI 1.0 for Model Exchange: types. */
#ifndef fmiModelTypes_h
#define fmiModelTypes_h

#include "fmi1Shared.h"

#define fmiModelTypesPlatform "standard32"

#endif
