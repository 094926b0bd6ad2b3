/// Which names a shared library of Chasles exports: those of its public headers, whose namespaces carry this mark.
/// All others are compiled with hidden visibility.
#pragma once

#define CHASLES_API __attribute__((visibility("default")))
