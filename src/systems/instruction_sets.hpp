/// Marks functions that are also compiled for AVX2 and FMA; the version is chosen when the program starts. For loops
/// over plain numbers: functions called from there without inlining are compiled only once, for the baseline.
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 && \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CHASLES_HOT __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CHASLES_HOT
#endif
