/* A program that holds a known amount: hold MIB MILLISECONDS [LIVES [LATER [FILE]]]: after LATER ms
 * it takes MIB for so long, and it lives for LIVES ms in all.  With a FILE behind that, it maps and
 * reads so much of it instead. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void sleep_until(double when) {
  double left = when - now();
  if (left > 0.0) {
    struct timespec t = {(time_t)(left / 1e3), (long)(left * 1e6) % 1000000000L};
    nanosleep(&t, NULL);
  }
}

static void read_pages(const char *p, size_t bytes) {
  volatile char sum = 0;
  for (size_t i = 0; i < bytes; i += 4096) {
    sum = (char)(sum + p[i]);
  }
}

int main(int argc, char **argv) {
  double began = now();
  size_t bytes = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) << 20 : 0;
  double held = argc > 2 ? strtod(argv[2], NULL) : 0.0;
  double lives = argc > 3 ? strtod(argv[3], NULL) : 0.0;
  sleep_until(began + (argc > 4 ? strtod(argv[4], NULL) : 0.0));
  if (bytes) {
    int file = argc > 5 ? open(argv[5], O_RDONLY) : -1;
    void *p = argc > 5
                  ? mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0)
                  : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
      return 1;
    }
    if (argc > 5) {
      read_pages(p, bytes);
    } else {
      memset(p, 1, bytes);
    }
    sleep_until(now() + held);
    munmap(p, bytes);
  }
  sleep_until(began + lives);
  return 0;
}
