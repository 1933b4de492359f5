/* The small programs (bench/micro/NAME.core) by NVIDIA's libraries: CUB and Thrust, cuBLAS.

       $ cuda reduce-plus --repeat=100 @ints.npy        prints and times as generated programs do:
       -65875i32                                        the input is on the device before, and scalars
       run 1 of 100: 0.927113 ms, 1 kernel              are on the host after; of arrays the last
                                                        element is printed
   How many kernels a library launches it does not say: no number is printed. */
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform_scan.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

static void require(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "cuda: %s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

static void require(cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS) {
        std::fprintf(stderr, "cuda: cuBLAS error %d\n", (int)status);
        std::exit(1);
    }
}

template <typename T> T *device_array(size_t count)
{
    T *data;
    require(cudaMalloc(&data, count * sizeof(T)));
    return data;
}

/* ---- input ---------------------------------------------------------------------------------- */

struct Input {
    void *data; /* on the device */
    std::vector<int64_t> shape;
    int64_t count = 1;
    template <typename T> const T *as() const { return static_cast<const T *>(data); }
};

/* A .npy file of elements of 4 bytes, or of 8 where they are f64, in pieces. */
static Input read_input(const std::string &name)
{
    Input input;
    std::ifstream in(name, std::ios::binary);
    char start[10];
    in.read(start, sizeof start);
    std::string header((unsigned char)start[8] + 256 * (unsigned char)start[9], ' ');
    in.read(&header[0], header.size());
    if (!in) {
        std::fprintf(stderr, "cuda: %s cannot be read\n", name.c_str());
        std::exit(1);
    }
    for (const char *at = std::strchr(std::strstr(header.c_str(), "shape"), '(') + 1; *at != ')';) {
        char *end;
        input.shape.push_back(std::strtoll(at, &end, 10));
        input.count *= input.shape.back();
        at = end + std::strspn(end, ", ");
    }
    const size_t bytes = header.find("'<f8'") != std::string::npos ? 8 : 4;
    const size_t size = (size_t)input.count * bytes, piece = 64 << 20;
    char *data = device_array<char>(size);
    std::vector<char> buffer(size < piece ? size : piece);
    for (size_t done = 0; done < size; done += buffer.size()) {
        const size_t part = size - done < buffer.size() ? size - done : buffer.size();
        in.read(buffer.data(), part);
        require(cudaMemcpy(data + done, buffer.data(), part, cudaMemcpyHostToDevice));
    }
    input.data = data;
    return input;
}

/* ---- the programs ---------------------------------------------------------------------------- */

/* What runs for the clock; what it leaves is shown after. `before` runs before the clock. */
struct Job {
    std::function<void()> run, before = [] {};
    std::function<std::string()> show;
};

static std::string text(const char *format, double value)
{
    char line[64];
    std::snprintf(line, sizeof line, format, value);
    return line;
}

static std::string show_int(int32_t value) { return std::to_string(value) + "i32\n"; }
static std::string show_double(double value) { return text("%.17gf64\n", value); }
static std::string show_real(float value) { return text("%.9gf32\n", value); }

template <typename T> T fetch(const T *device)
{
    T value;
    require(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/* A CUB algorithm: first asked for the memory that it needs, then called for each run. */
template <typename Call> std::function<void()> with_memory(Call call)
{
    size_t size = 0;
    require(call(nullptr, size));
    void *memory = device_array<char>(size + 1);
    return [=]() mutable { require(call(memory, size)); };
}

/* A reduction by CUB to one value on the host. */
template <typename T, typename Call, typename Show> Job reduction(Call call, Show show)
{
    T *result = device_array<T>(1);
    T *host = new T;
    auto launch = with_memory(
        [=](void *memory, size_t &size) mutable { return call(memory, size, result); });
    Job job;
    job.run = [=]() mutable {
        launch();
        *host = fetch(result);
    };
    job.show = [=] { return show(*host); };
    return job;
}

struct PackedGreater {
    __host__ __device__ int64_t operator()(int64_t x, int64_t y) const
    {
        if (x >> 32 != y >> 32)
            return x >> 32 > y >> 32 ? x : y;
        return (x & 0xffffffff) < (y & 0xffffffff) ? x : y;
    }
};
struct Pack {
    const int32_t *values;
    __host__ __device__ int64_t operator()(int64_t i) const
    {
        return (int64_t)((uint64_t)(int64_t)values[i] << 32) | i;
    }
};

struct MatrixProduct {
    __host__ __device__ uint32_t operator()(uint32_t x, uint32_t y) const
    {
        const uint32_t a = (x >> 24) * (y >> 24) + (x >> 16 & 255) * (y >> 8 & 255);
        const uint32_t b = (x >> 24) * (y >> 16 & 255) + (x >> 16 & 255) * (y & 255);
        const uint32_t c = (x >> 8 & 255) * (y >> 24) + (x & 255) * (y >> 8 & 255);
        const uint32_t d = (x >> 8 & 255) * (y >> 16 & 255) + (x & 255) * (y & 255);
        return (a & 255) << 24 | (b & 255) << 16 | (c & 255) << 8 | (d & 255);
    }
};
struct Plus {
    uint32_t more;
    __host__ __device__ uint32_t operator()(uint32_t x) const { return x + more; }
};

struct Segment {
    int32_t best, first, last, all;
};
struct ToSegment {
    __host__ __device__ Segment operator()(int32_t x) const
    {
        const int32_t positive = x > 0 ? x : 0;
        return {positive, positive, positive, x};
    }
};
struct Join {
    __host__ __device__ Segment operator()(const Segment &a, const Segment &b) const
    {
        const int32_t across = a.last + b.first, first = a.all + b.first;
        const int32_t ends = b.all + a.last;
        int32_t best = a.best > b.best ? a.best : b.best;
        best = best > across ? best : across;
        return {best, a.first > first ? a.first : first, b.last > ends ? b.last : ends,
                a.all + b.all};
    }
};

struct Three {
    float sum, least, greatest;
};
struct ThreeOf {
    __host__ __device__ Three operator()(const Three &a, const Three &b) const
    {
        return {a.sum + b.sum, fminf(a.least, b.least), fmaxf(a.greatest, b.greatest)};
    }
};
/* Writes what is mapped out, and gives what is reduced: all in one pass. */
struct Mapped {
    const float *xs;
    float *us, *ws;
    __device__ Three operator()(int64_t i) const
    {
        const float x = xs[i], t = expf(-(x * x)) / (1.0f + x * x), u = t / (2.0f + expf(t));
        const float w = 1.0f / (1.0f + expf(-u));
        us[i] = u * 3.0f;
        ws[i] = w + 1.0f;
        return {t, u, w};
    }
};

__host__ __device__ static float normal(float x)
{
    const float size = fabsf(x), k = 1.0f / (1.0f + 0.2316419f * size);
    const float p =
        k * (0.31938153f +
             k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = p * 0.39894228f * expf(-(size * size) / 2.0f);
    return x >= 0.0f ? 1.0f - tail : tail;
}
struct Call {
    const float *prices, *times;
    __host__ __device__ float operator()(int64_t i) const
    {
        const float price = 60.0f + 10.0f * prices[i], years = 1.0f + 0.5f * times[i];
        const float deviation = 0.3f * sqrtf(years);
        const float d1 = (logf(price / 65.0f) + 0.125f * years) / deviation;
        return price * normal(d1) - 65.0f * expf(-(0.08f * years)) * normal(d1 - deviation);
    }
};

static Job integer_program(const std::string &name, const std::vector<Input> &inputs)
{
    const int32_t *xs = inputs.at(0).as<int32_t>();
    const int64_t n = inputs[0].count;
    Job job;
    if (name == "reduce-plus")
        return reduction<int32_t>(
            [=](void *m, size_t &s, int32_t *r) { return cub::DeviceReduce::Sum(m, s, xs, r, n); },
            show_int);
    if (name == "reduce-max")
        return reduction<int32_t>(
            [=](void *m, size_t &s, int32_t *r) { return cub::DeviceReduce::Max(m, s, xs, r, n); },
            show_int);
    if (name == "index-of-max") {
        int32_t *greatest = device_array<int32_t>(1);
        return reduction<int64_t>(
            [=](void *m, size_t &s, int64_t *r) {
                return cub::DeviceReduce::ArgMax(m, s, xs, greatest, r, n);
            },
            [](int64_t index) { return show_int((int32_t)index); });
    }
    if (name == "index-of-max-packed")
        return reduction<int64_t>(
            [=](void *m, size_t &s, int64_t *r) {
                auto packed = thrust::make_transform_iterator(
                    thrust::counting_iterator<int64_t>(0), Pack{xs});
                return cub::DeviceReduce::Reduce(m, s, packed, r, n, PackedGreater{},
                                                 (int64_t)0x80000000ffffffff);
            },
            [](int64_t packed) { return show_int((int32_t)packed); });
    if (name == "reduce-2x2") { /* CUB reduces by operators that commute: the last of a scan */
        uint32_t *products = device_array<uint32_t>(n);
        uint32_t *last = new uint32_t;
        job.run = [=] {
            *last = 1;
            for (int i = 0; i < 42; i++) {
                thrust::device_ptr<const uint32_t> in(reinterpret_cast<const uint32_t *>(xs));
                thrust::transform_inclusive_scan(thrust::device, in, in + n,
                                                 thrust::device_ptr<uint32_t>(products),
                                                 Plus{*last}, MatrixProduct{});
                *last = fetch(products + n - 1);
            }
        };
        job.show = [=] { return show_int((int32_t)*last); };
    } else if (name == "segment-sum") {
        Segment *segments = device_array<Segment>(n);
        Segment *last = new Segment;
        job.run = [=] {
            thrust::device_ptr<const int32_t> in(xs);
            thrust::transform_inclusive_scan(thrust::device, in, in + n,
                                             thrust::device_ptr<Segment>(segments), ToSegment{},
                                             Join{});
            *last = fetch(segments + n - 1);
        };
        job.show = [=] { return show_int(last->best); };
    } else if (name == "scan-plus") {
        int32_t *sums = device_array<int32_t>(n);
        auto launch = with_memory([=](void *m, size_t &s) {
            return cub::DeviceScan::InclusiveSum(m, s, xs, sums, n);
        });
        job.run = [=]() mutable {
            launch();
            require(cudaDeviceSynchronize());
        };
        job.show = [=] { return show_int(fetch(sums + n - 1)); };
    }
    return job;
}

static cublasStatus_t gemm(cublasHandle_t blas, int n, int m, int k, const double *one,
                           const double *b, const double *a, const double *zero, double *c)
{
    return cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, one, b, n, a, k, zero, c, n);
}

static cublasStatus_t gemm(cublasHandle_t blas, int n, int m, int k, const float *one,
                           const float *b, const float *a, const float *zero, float *c)
{
    return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, one, b, n, a, k, zero, c, n);
}

/* a times b: row-major, so for cuBLAS the transpose of b times that of a. */
template <typename T, typename Show>
static Job matrix_product(const std::vector<Input> &inputs, Show show)
{
    const int m = (int)inputs.at(0).shape[0], k = (int)inputs[0].shape[1],
              n = (int)inputs.at(1).shape[1];
    const T *a = inputs[0].as<T>(), *b = inputs[1].as<T>();
    T *product = device_array<T>((size_t)m * n);
    cublasHandle_t blas;
    Job job;
    require(cublasCreate(&blas));
    job.run = [=] {
        const T one = 1, zero = 0;
        require(gemm(blas, n, m, k, &one, b, a, &zero, product));
        require(cudaDeviceSynchronize());
    };
    job.show = [=] { return show(fetch(product + (size_t)m * n - 1)); };
    return job;
}

static Job real_program(const std::string &name, const std::vector<Input> &inputs, float factor)
{
    const float *xs = inputs.at(0).as<float>();
    const float *ys = inputs.size() > 1 ? inputs[1].as<float>() : nullptr;
    const int64_t n = inputs[0].count;
    float *host = new float;
    cublasHandle_t blas;
    Job job;
    require(cublasCreate(&blas));
    job.show = [=] { return show_real(*host); };
    if (name == "redomap") {
        float *us = device_array<float>(n), *ws = device_array<float>(n);
        Job three = reduction<Three>(
            [=](void *m, size_t &s, Three *r) {
                auto mapped = thrust::make_transform_iterator(
                    thrust::counting_iterator<int64_t>(0), Mapped{xs, us, ws});
                return cub::DeviceReduce::Reduce(m, s, mapped, r, n, ThreeOf{},
                                                 Three{0.0f, INFINITY, -INFINITY});
            },
            [=](Three t) {
                return show_real(fetch(us + n - 1)) + show_real(fetch(ws + n - 1)) +
                       show_real(t.sum) + show_real(t.least) + show_real(t.greatest);
            });
        return three;
    }
    if (name == "options")
        return reduction<float>(
            [=](void *m, size_t &s, float *r) {
                auto calls = thrust::make_transform_iterator(
                    thrust::counting_iterator<int64_t>(0), Call{xs, ys});
                return cub::DeviceReduce::Reduce(m, s, calls, r, n, cuda::std::plus<>{}, 0.0f);
            },
            show_real);
    if (name == "scal") { /* in place, so on a fresh copy each time */
        float *scaled = device_array<float>(n);
        job.before = [=] {
            require(cudaMemcpy(scaled, xs, n * sizeof *xs, cudaMemcpyDeviceToDevice));
            require(cudaDeviceSynchronize());
        };
        job.run = [=] {
            require(cublasSscal(blas, (int)n, &factor, scaled, 1));
            require(cudaDeviceSynchronize());
        };
        job.show = [=] { return show_real(fetch(scaled + n - 1)); };
    } else if (name == "asum") {
        job.run = [=] { require(cublasSasum(blas, (int)n, xs, 1, host)); };
    } else if (name == "dot") {
        job.run = [=] { require(cublasSdot(blas, (int)n, xs, 1, ys, 1, host)); };
    } else if (name == "gemv") {
        const int rows = (int)inputs[0].shape[0], columns = (int)inputs[0].shape[1];
        float *product = device_array<float>(rows);
        job.run = [=] {
            const float one = 1.0f, zero = 0.0f; /* row-major is the transpose of column-major */
            require(cublasSgemv(blas, CUBLAS_OP_T, columns, rows, &one, xs, columns, ys, 1, &zero,
                                product, 1));
            require(cudaDeviceSynchronize());
        };
        job.show = [=] { return show_real(fetch(product + rows - 1)); };
    }
    return job;
}

/* ---- the command line ------------------------------------------------------------------------ */

static double now()
{
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(time).count();
}

int main(int argc, char **argv)
{
    const std::string name = argc > 1 ? argv[1] : "";
    std::vector<Input> inputs;
    int64_t repeats = 0;
    float factor = 1.0f;
    for (int i = 2; i < argc; i++) {
        if (std::strncmp(argv[i], "--repeat=", 9) == 0)
            repeats = std::strtoll(argv[i] + 9, nullptr, 10);
        else if (argv[i][0] == '@')
            inputs.push_back(read_input(argv[i] + 1));
        else if (argv[i][0] != '-')
            factor = std::strtof(argv[i], nullptr);
    }
    if (inputs.empty()) {
        std::fprintf(stderr, "usage: cuda PROGRAM [--repeat=N] [NUMBER] @FILE.npy...\n");
        return 2;
    }
    const bool whole = name.rfind("reduce", 0) == 0 || name.rfind("index", 0) == 0 ||
                       name == "segment-sum" || name == "scan-plus";
    Job job = whole                  ? integer_program(name, inputs)
              : name == "matmul"     ? matrix_product<double>(inputs, show_double)
              : name == "matmul-f32" ? matrix_product<float>(inputs, show_real)
                                     : real_program(name, inputs, factor);
    if (!job.run) {
        std::fprintf(stderr, "cuda: there is no program '%s'\n", name.c_str());
        return 2;
    }
    job.before();
    job.run();
    std::fputs(job.show().c_str(), stdout);
    std::vector<double> times;
    for (int64_t i = 0; i < repeats; i++) {
        job.before();
        const double begin = now();
        job.run();
        times.push_back(now() - begin);
    }
    for (int64_t i = 0; i < repeats; i++)
        std::fprintf(stderr, "run %lld of %lld: %.6f ms\n", (long long)i + 1, (long long)repeats,
                     times[i]);
    return 0;
}
