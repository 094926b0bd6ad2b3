# kernel_sets: the kernel sets supported by this processor. v4 uses some kernels of v3.
if(NOT DEFINED chasles_processor)
  file(WRITE ${PROJECT_BINARY_DIR}/processor.cpp "
    #ifdef __x86_64__
    int main() {
      if (__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512vl\") &&
          __builtin_cpu_supports(\"avx512dq\") && __builtin_cpu_supports(\"avx512bw\") &&
          __builtin_cpu_supports(\"avx512cd\"))
        return 4;
      return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") &&
                     __builtin_cpu_supports(\"bmi2\") ? 3 : 0;
    }
    #else
    int main() { return 0; }
    #endif
    ")
  try_run(processor compiled ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/processor.cpp)
  set(chasles_processor ${processor} CACHE INTERNAL "4: x86-64-v4, 3: x86-64-v3, else the baseline")
endif()
if(chasles_processor EQUAL 4)
  set(kernel_sets x86-64-v3 x86-64-v4)
elseif(chasles_processor EQUAL 3)
  set(kernel_sets x86-64-v3)
else()
  set(kernel_sets baseline)
endif()
