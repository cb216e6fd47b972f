/* Fails chosen system calls of the program it is preloaded into: those on paths below FAULT_ROOT are counted, and from the
 * FAULT_AT-th on FAULT_LENGTH of them fail with FAULT_ERRNO. When the process ends, FAULT_REPORT gets the number of calls and
 * the name of the first that failed. The clock stands at FAULT_CLOCK and random bytes repeat from
 * run to run, so that the same command leaves the same bytes.
 * Only the process called FAULT_PROGRAM is touched; what it starts runs undisturbed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char *root;
static size_t root_length;
static long first, length;
static int error_number;
static atomic_long counted;
static const char *_Atomic first_failed;
static time_t clock_seconds;
static int is_active;

__attribute__((constructor)) static void begin(void) {
    const char *program = getenv("FAULT_PROGRAM");
    root = getenv("FAULT_ROOT");
    if (!root || !program || strcmp(program, program_invocation_short_name) != 0) return;
    root_length = strlen(root);
    first = atol(getenv("FAULT_AT") ? getenv("FAULT_AT") : "0");
    length = atol(getenv("FAULT_LENGTH") ? getenv("FAULT_LENGTH") : "1");
    error_number = atoi(getenv("FAULT_ERRNO") ? getenv("FAULT_ERRNO") : "5");
    clock_seconds = atol(getenv("FAULT_CLOCK") ? getenv("FAULT_CLOCK") : "0");
    is_active = 1;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULT_REPORT"), *name = atomic_load(&first_failed);
    if (!is_active || !path) return;
    is_active = 0;
    char text[96];
    int size = snprintf(text, sizeof text, "%ld %s\n", atomic_load(&counted), name ? name : "-");
    int file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) {
        syscall(SYS_write, file, text, size);
        syscall(SYS_close, file);
    }
}

static int is_below(const char *path) {
    return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/* Counts a call and tells whether it has to fail. */
static int hit(const char *name) {
    long n = atomic_fetch_add(&counted, 1) + 1;
    if (first > 0 && n >= first && n < first + length) {
        if (n == first) atomic_store(&first_failed, name);
        errno = error_number;
        return 1;
    }
    return 0;
}

static int is_ours_fd(int fd) {
    char link[64], path[PATH_MAX];
    int saved = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    errno = saved;
    if (size <= 0) return 0;
    path[size] = 0;
    return is_below(path);
}

static int is_ours_path(int directory, const char *path) {
    if (!path) return 0;
    if (path[0] == '/') return is_below(path);
    if (path[0] == 0) return is_ours_fd(directory);
    if (directory != AT_FDCWD) return is_ours_fd(directory);
    char here[PATH_MAX];
    return syscall(SYS_getcwd, here, sizeof here) > 0 && is_below(here);
}

/* SQLite takes its random bytes from the device. */
static const char *repeatable(const char *path) {
    return is_active && clock_seconds && path && strcmp(path, "/dev/urandom") == 0 ? "/dev/zero" : path;
}

#define FAIL_PATH(directory, path, value) \
    if (is_active && is_ours_path(directory, path) && hit(__func__)) return value
#define FAIL_FD(fd, value) \
    if (is_active && is_ours_fd(fd) && hit(__func__)) return value
#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list list; \
        va_start(list, flags); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    }

int open(const char *path, int flags, ...) { MODE(flags); FAIL_PATH(AT_FDCWD, path, -1); REAL(open); return real(repeatable(path), flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags); FAIL_PATH(AT_FDCWD, path, -1); REAL(open64); return real(repeatable(path), flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags); FAIL_PATH(at, path, -1); REAL(openat); return real(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags); FAIL_PATH(at, path, -1); REAL(openat64); return real(at, path, flags, mode); }

ssize_t read(int fd, void *buffer, size_t size) { FAIL_FD(fd, -1); REAL(read); return real(fd, buffer, size); }
ssize_t pread(int fd, void *buffer, size_t size, off_t at) { FAIL_FD(fd, -1); REAL(pread); return real(fd, buffer, size, at); }
ssize_t pread64(int fd, void *buffer, size_t size, off64_t at) { FAIL_FD(fd, -1); REAL(pread64); return real(fd, buffer, size, at); }
ssize_t readv(int fd, const struct iovec *parts, int n) { FAIL_FD(fd, -1); REAL(readv); return real(fd, parts, n); }
ssize_t write(int fd, const void *buffer, size_t size) { FAIL_FD(fd, -1); REAL(write); return real(fd, buffer, size); }
ssize_t pwrite(int fd, const void *buffer, size_t size, off_t at) { FAIL_FD(fd, -1); REAL(pwrite); return real(fd, buffer, size, at); }
ssize_t pwrite64(int fd, const void *buffer, size_t size, off64_t at) { FAIL_FD(fd, -1); REAL(pwrite64); return real(fd, buffer, size, at); }
ssize_t writev(int fd, const struct iovec *parts, int n) { FAIL_FD(fd, -1); REAL(writev); return real(fd, parts, n); }
int fsync(int fd) { FAIL_FD(fd, -1); REAL(fsync); return real(fd); }
int fdatasync(int fd) { FAIL_FD(fd, -1); REAL(fdatasync); return real(fd); }
int ftruncate(int fd, off_t size) { FAIL_FD(fd, -1); REAL(ftruncate); return real(fd, size); }
int ftruncate64(int fd, off64_t size) { FAIL_FD(fd, -1); REAL(ftruncate64); return real(fd, size); }
int flock(int fd, int operation) { FAIL_FD(fd, -1); REAL(flock); return real(fd, operation); }

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    if (fd >= 0) FAIL_FD(fd, MAP_FAILED);
    REAL(mmap);
    return real(at, size, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset) {
    if (fd >= 0) FAIL_FD(fd, MAP_FAILED);
    REAL(mmap64);
    return real(at, size, protection, flags, fd, offset);
}

int stat(const char *path, struct stat *found) { FAIL_PATH(AT_FDCWD, path, -1); REAL(stat); return real(path, found); }
int stat64(const char *path, struct stat64 *found) { FAIL_PATH(AT_FDCWD, path, -1); REAL(stat64); return real(path, found); }
int lstat(const char *path, struct stat *found) { FAIL_PATH(AT_FDCWD, path, -1); REAL(lstat); return real(path, found); }
int lstat64(const char *path, struct stat64 *found) { FAIL_PATH(AT_FDCWD, path, -1); REAL(lstat64); return real(path, found); }
int fstat(int fd, struct stat *found) { FAIL_FD(fd, -1); REAL(fstat); return real(fd, found); }
int fstat64(int fd, struct stat64 *found) { FAIL_FD(fd, -1); REAL(fstat64); return real(fd, found); }
int fstatat(int at, const char *path, struct stat *found, int flags) { FAIL_PATH(at, path, -1); REAL(fstatat); return real(at, path, found, flags); }
int fstatat64(int at, const char *path, struct stat64 *found, int flags) { FAIL_PATH(at, path, -1); REAL(fstatat64); return real(at, path, found, flags); }
int statx(int at, const char *path, int flags, unsigned mask, struct statx *found) { FAIL_PATH(at, path, -1); REAL(statx); return real(at, path, flags, mask, found); }
ssize_t readlink(const char *path, char *buffer, size_t size) { FAIL_PATH(AT_FDCWD, path, -1); REAL(readlink); return real(path, buffer, size); }
char *realpath(const char *path, char *resolved) { FAIL_PATH(AT_FDCWD, path, NULL); REAL(realpath); return real(path, resolved); }
int access(const char *path, int mode) { FAIL_PATH(AT_FDCWD, path, -1); REAL(access); return real(path, mode); }

int rename(const char *from, const char *to) { FAIL_PATH(AT_FDCWD, to, -1); REAL(rename); return real(from, to); }
int link(const char *from, const char *to) { FAIL_PATH(AT_FDCWD, to, -1); REAL(link); return real(from, to); }
int mkdir(const char *path, mode_t mode) { FAIL_PATH(AT_FDCWD, path, -1); REAL(mkdir); return real(path, mode); }
int renameat(int at, const char *from, int to_at, const char *to) { FAIL_PATH(to_at, to, -1); REAL(renameat); return real(at, from, to_at, to); }
int linkat(int at, const char *from, int to_at, const char *to, int flags) { FAIL_PATH(to_at, to, -1); REAL(linkat); return real(at, from, to_at, to, flags); }
int unlinkat(int at, const char *path, int flags) { FAIL_PATH(at, path, -1); REAL(unlinkat); return real(at, path, flags); }
int rmdir(const char *path) { FAIL_PATH(AT_FDCWD, path, -1); REAL(rmdir); return real(path); }
int chmod(const char *path, mode_t mode) { FAIL_PATH(AT_FDCWD, path, -1); REAL(chmod); return real(path, mode); }
int fchmod(int fd, mode_t mode) { FAIL_FD(fd, -1); REAL(fchmod); return real(fd, mode); }
int unlink(const char *path) { FAIL_PATH(AT_FDCWD, path, -1); REAL(unlink); return real(path); }
DIR *opendir(const char *path) { FAIL_PATH(AT_FDCWD, path, NULL); REAL(opendir); return real(path); }
struct dirent64 *readdir64(DIR *folder) { FAIL_FD(dirfd(folder), NULL); REAL(readdir64); return real(folder); }

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int outcome = real(clock, now);
    if (is_active && clock_seconds && clock == CLOCK_REALTIME) *now = (struct timespec){.tv_sec = clock_seconds};
    return outcome;
}
/* Each call continues one sequence; where several threads ask, their order may vary. */
ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
    static atomic_ulong sequence = 1;
    REAL(getrandom);
    if (!is_active || !clock_seconds) return real(buffer, size, flags);
    for (size_t n = 0; n < size; n++) ((unsigned char *)buffer)[n] = (atomic_fetch_add(&sequence, 1) * 0x9E3779B97F4A7C15ul) >> 56;
    return size;
}
