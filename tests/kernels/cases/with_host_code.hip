// A whole program around the kernel, as samples have it. Only the kernel is used.
#include <hip/hip_runtime.h>

#include <iostream>
#include <vector>

template <class T> __global__ void add(const T* a, const T* b, T* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 1 << 20;
  std::vector<float> host(n, 1.0f);
  float *a = nullptr, *b = nullptr, *c = nullptr;
  if (hipMalloc(&a, n * sizeof(float)) != hipSuccess) return 1;
  if (hipMalloc(&b, n * sizeof(float)) != hipSuccess || hipMalloc(&c, n * sizeof(float)) != hipSuccess) return 1;
  (void)hipMemcpy(a, host.data(), n * sizeof(float), hipMemcpyHostToDevice);
  add<float><<<dim3((n + 255) / 256), dim3(256), 0, nullptr>>>(a, b, c, n);
  (void)hipDeviceSynchronize();
  std::cout << host[0] << std::endl;
  return 0;
}
