#pragma once

// What libconsort shows to the outside; everything else in it is hidden.
#define CONSORT_API __attribute__((visibility("default")))
