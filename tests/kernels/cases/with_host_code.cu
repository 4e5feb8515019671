// A whole program around the kernel, as samples have it. Only the kernel is used.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                         \
  do {                                                      \
    const cudaError_t error = (call);                       \
    if (error != cudaSuccess) {                             \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error)); \
      std::exit(1);                                         \
    }                                                       \
  } while (0)

template <class T> __global__ void add(const T* a, const T* b, T* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  const size_t bytes = n * sizeof(float);
  std::vector<float> host(n, 1.0f);
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc((void**)&b, bytes));
  CHECK(cudaMalloc(&c, bytes));
  CHECK(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const dim3 block(256), grid((n + block.x - 1) / block.x);
  add<<<grid, block>>>(a, b, c, n);
  add<float><<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), c, bytes, cudaMemcpyDeviceToHost));
  std::printf("<<<%f>>>\n", host[0]);
  CHECK(cudaFree(a));
  return 0;
}
