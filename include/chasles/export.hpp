/// Symbol visibility: the names of the public headers, whose namespaces carry this attribute, are exported from a
/// shared library of Chasles. All others are compiled with hidden visibility.
#pragma once

#define CHASLES_API __attribute__((visibility("default")))
