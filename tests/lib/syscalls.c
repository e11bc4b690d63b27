/* The watched process installs the filter on all of its threads, and sends the file descriptor that
 * its questions arrive at through a socket.  (A filter that raises a signal would be simpler, but
 * ends a process whose thread has signals blocked, and the C library ends threads that way.) */
#include "lib/syscalls.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/test.h"

#define EXIT_NO_FILTER 42
#define N_CALLS 6

static const int numbers[N_CALLS] = {
#define NUMBER(name) SYS_##name,
    TEST_SYSCALL_LIST(NUMBER)
#undef NUMBER
};

static int to_parent = -1; /* the watched process's end of the socket */

int64_t test_syscalls_sum(const test_syscalls *c) {
  int64_t sum = 0;
#define ADD(name) sum += c->n_##name;
  TEST_SYSCALL_LIST(ADD)
#undef ADD
  return sum;
}

/* Returns the file descriptor of the questions, or -1. */
static int install_filter(void) {
  const unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC |
                         SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
  struct sock_filter code[N_CALLS + 3];
  size_t n = 0;
  code[n++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned i = 0; i < N_CALLS; i++) {
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i],
                                             (unsigned char)(N_CALLS - i), 0);
  }
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  struct sock_fprog program = {(unsigned short)n, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return -1;
  }
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Room for one file descriptor beside a message of one byte. */
typedef struct fd_message {
  char byte;
  struct iovec part;
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  struct msghdr header;
} fd_message;

static void init_message(fd_message *m) {
  memset(m, 0, sizeof *m);
  m->part = (struct iovec){&m->byte, 1};
  m->header = (struct msghdr){.msg_iov = &m->part,
                              .msg_iovlen = 1,
                              .msg_control = m->control,
                              .msg_controllen = sizeof m->control};
}

static bool send_fd(int socket, int fd) {
  fd_message m;
  init_message(&m);
  struct cmsghdr *c = CMSG_FIRSTHDR(&m.header);
  *c = (struct cmsghdr){
      .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
  memcpy(CMSG_DATA(c), &fd, sizeof fd);
  return sendmsg(socket, &m.header, 0) == 1;
}

/* The file descriptor that arrives, or -1 when the other end is closed. */
static int receive_fd(int socket) {
  fd_message m;
  int fd = -1;
  init_message(&m);
  if (recvmsg(socket, &m.header, 0) == 1 && CMSG_FIRSTHDR(&m.header)) {
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m.header)), sizeof fd);
  }
  return fd;
}

/* From the start on every question is counted until the parent has read that we stopped. */
void test_syscalls_start(void) {
  int questions = install_filter();
  if (questions < 0 || !send_fd(to_parent, questions)) {
    _exit(EXIT_NO_FILTER);
  }
  close(questions);
}

void test_syscalls_stop(void) {
  char stop = 1;
  if (write(to_parent, &stop, 1) != 1 || read(to_parent, &stop, 1) != 1) {
    _exit(1);
  }
}

static void count(int number, int64_t n[N_CALLS]) {
  for (int i = 0; i < N_CALLS; i++) {
    n[i] += number == numbers[i];
  }
}

/* Count one question and let the call pass; false when nobody is left to ask. */
static bool answer(int questions, bool is_counting, int64_t n[N_CALLS]) {
  struct seccomp_notif asked;
  memset(&asked, 0, sizeof asked); /* the kernel wants it so */
  if (ioctl(questions, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) {
    return errno == EINTR || errno == ENOENT; /* who asked was interrupted */
  }
  if (is_counting) {
    count(asked.data.nr, n);
  }
  struct seccomp_notif_resp pass = {.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  return ioctl(questions, SECCOMP_IOCTL_NOTIF_SEND, &pass) == 0 || errno == ENOENT;
}

/* Answer until the watched process is gone. */
static void watch(int questions, int child_socket, int64_t n[N_CALLS]) {
  bool is_counting = true;
  struct pollfd from[] = {{.fd = questions, .events = POLLIN},
                          {.fd = child_socket, .events = POLLIN}};
  while (poll(from, 2, -1) >= 0 || errno == EINTR) {
    if (from[0].revents & POLLIN) {
      if (!answer(questions, is_counting, n)) {
        return;
      }
    } else if (from[1].revents & POLLIN && is_counting) {
      char stop = 0;
      is_counting = read(child_socket, &stop, 1) != 1 || write(child_socket, &stop, 1) != 1;
      from[1].fd = -1;
    } else if (from[0].revents & (POLLHUP | POLLERR)) {
      return;
    }
  }
}

static void judge(pid_t child) {
  int state = 0;
  ASSERT_TRUE(waitpid(child, &state, 0) == child);
  if (!WIFEXITED(state) || (WEXITSTATUS(state) != 0 && WEXITSTATUS(state) != EXIT_NO_FILTER)) {
    test_fail(__FILE__, __LINE__, "the watched process ended with wait status 0x%x", state);
  }
}

bool test_syscalls_run(bool (*work)(void *arg), void *arg, test_syscalls *out) {
  int64_t n[N_CALLS] = {0};
  int ends[2];
  ASSERT_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  fflush(NULL);
  pid_t child = fork();
  ASSERT_TRUE(child >= 0);
  if (child == 0) {
    close(ends[0]);
    to_parent = ends[1];
    _exit(work(arg) ? 0 : 1);
  }
  close(ends[1]);
  int questions = receive_fd(ends[0]);
  if (questions >= 0) {
    watch(questions, ends[0], n);
    close(questions);
  }
  close(ends[0]);
  judge(child);
  int i = 0;
#define READ(name) out->n_##name = n[i++];
  TEST_SYSCALL_LIST(READ)
#undef READ
  return questions >= 0;
}
