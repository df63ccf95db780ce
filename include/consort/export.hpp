#pragma once

// Marks the public symbols of libconsort. All other symbols are hidden.
#define CONSORT_API __attribute__((visibility("default")))
