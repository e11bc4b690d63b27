/* A process that takes 1 MiB, lets it go and sleeps for 40 ms, again and again. */
#include <string.h>
#include <sys/mman.h>
#include <time.h>

int main(void) {
  const size_t bytes = 1u << 20;
  const struct timespec rest = {0, 40000000};
  for (;;) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
      return 1;
    }
    memset(p, 1, bytes);
    nanosleep(&rest, NULL);
    munmap(p, bytes);
    nanosleep(&rest, NULL);
  }
}
