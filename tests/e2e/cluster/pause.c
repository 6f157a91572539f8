/* The process that holds a pod's namespaces: it sleeps until it gets a signal to end. */
#include <signal.h>
#include <unistd.h>

static void end(int signal_number) { _exit(signal_number == SIGTERM ? 0 : 1); }

int main(void) {
    signal(SIGTERM, end);
    signal(SIGINT, end);
    signal(SIGCHLD, SIG_IGN); /* as process 1 it would otherwise collect zombies */
    for (;;) pause();
}
