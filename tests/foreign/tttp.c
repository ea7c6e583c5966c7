/* A TTTP client that plays one game of Connect Four with random legal moves, and checks whether the server does what
 * its protocol page says. It expects a server on this machine, with default settings.
 *
 *     gcc -std=c11 -Wall -Wextra -Werror -O1 -o tttp tttp.c
 *     ./tttp PORT NAME            twice, with two names
 *
 * The last line printed is won, lost, draw or cancelled, and the exit status is 0. What the server does against its
 * page is printed on stderr, and the status is 1. Without a server or a seat the status is 2. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { COLUMNS = 7, ROWS = 6, SPOTS = 42, PATIENCE = 30 };

static int sock;
static FILE *in;

static void end(int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs(status == 1 ? "violation: " : "tttp: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    exit(status);
}

/* Sets a time limit for reading if the server has to answer. */
static void expect_answer(int owed)
{
    struct timeval limit = { .tv_sec = owed ? PATIENCE : 0 };

    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

/* Reads exactly this many bytes. Returns 0 if the stream ends before the first one and may_end is set. */
static int get(void *bytes, size_t length, int may_end)
{
    size_t have = fread(bytes, 1, length, in);

    if (have == length)
        return 1;
    if (ferror(in) && (errno == EAGAIN || errno == EWOULDBLOCK))
        end(1, "no answer for %d s", PATIENCE);
    if (have > 0 || !may_end)
        end(1, "the stream ends within a packet");
    return 0;
}

static void put(const void *bytes, size_t length)
{
    for (const char *next = bytes; length > 0;) {
        ssize_t n = send(sock, next, length, MSG_NOSIGNAL);
        if (n < 0)
            return;                     /* the server has gone; the next get will show it */
        next += n;
        length -= (size_t)n;
    }
}

/* Closes the connection and waits until the server has closed it, too: then the seat is free. */
static void leave(const char *result)
{
    char rest;

    shutdown(sock, SHUT_WR);
    expect_answer(1);
    while (get(&rest, 1, 1))
        ;
    puts(result);
    exit(0);
}

static void get_chat(const char *own_name)
{
    unsigned char head[3], name[256];
    static unsigned char text[65536];

    get(head, 3, 0);
    size_t length = (size_t)(head[1] << 8 | head[2]);
    if (head[0] == 0 || length == 0)
        end(1, "a CHAT without a name or without a text");
    get(name, head[0], 0);
    get(text, length, 0);
    for (size_t i = 0; i < length; i++)
        if ((text[i] < 0x20 || text[i] > 0x7e) && text[i] != '\t' && text[i] != '\n')
            end(1, "byte %02x in a CHAT", text[i]);
    if (strlen(own_name) == head[0] && strncasecmp(own_name, (char *)name, head[0]) == 0)
        end(1, "our own CHAT has come back");
    printf("%.*s: %.*s\n", (int)head[0], (char *)name, (int)length, (char *)text);
}

static int has_line(const unsigned char *spots, int color)
{
    static const int step[4][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { -1, 1 } };

    for (int spot = 0; spot < SPOTS; spot++)
        for (int way = 0; way < 4; way++) {
            int x = spot % COLUMNS, y = spot / COLUMNS, run = 0;
            for (; x >= 0 && x < COLUMNS && y < ROWS && spots[COLUMNS * y + x] == color; run++) {
                x += step[way][0];
                y += step[way][1];
            }
            if (run >= 4)
                return 1;
        }
    return 0;
}

/* Checks one UPDT for contradictions. Returns the number of pieces. */
static int check(int turn, int won, const unsigned char *spots)
{
    int count[3] = { 0, 0, 0 };

    if (turn < 1 || turn > 2 || won > 4)
        end(1, "turn = %d, won = %d", turn, won);
    for (int i = 0; i < SPOTS; i++) {
        if (spots[i] > 2 || (spots[i] != 0 && i + COLUMNS < SPOTS && spots[i + COLUMNS] == 0))
            end(1, "spot %d is %d, or nothing is under it", i + 1, spots[i]);
        count[spots[i]]++;
    }
    if (count[1] - count[2] != turn - 1)
        end(1, "turn = %d with %d and %d pieces", turn, count[1], count[2]);
    for (int color = 1; color <= 2; color++)
        if (has_line(spots, color) && won != color)
            end(1, "won = %d, but %d has a line", won, color);
    if ((won == 3 && count[0] > 0) || (won == 0 && count[0] == 0))
        end(1, "won = %d with %d empty spots", won, count[0]);
    return SPOTS - count[0];
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    unsigned char join[5 + 255] = "JOIN", play[6] = "PLAY", type[4], color;
    unsigned char now[2 + SPOTS], before[2 + SPOTS] = { 0 };        /* turn, won, spots */
    int on = 1, chatted = 0, column = -1, fresh = 0;

    if (argc != 3 || strlen(argv[2]) > 255)
        end(2, "usage: tttp PORT NAME");
    srand((unsigned)getpid());
    address.sin_port = htons((unsigned short)atoi(argv[1]));
    sock = socket(AF_INET, SOCK_STREAM, 0);
    if (sock < 0 || connect(sock, (struct sockaddr *)&address, sizeof address) < 0 || !(in = fdopen(sock, "rb")))
        end(2, "cannot connect to port %s", argv[1]);
    setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);

    join[4] = (unsigned char)strlen(argv[2]);
    memcpy(join + 5, argv[2], join[4]);
    put(join, 5u + join[4]);
    expect_answer(1);
    if (!get(type, 4, 1))
        end(2, "the connection was closed; perhaps there are too many");
    get(&color, 1, 0);
    if (memcmp(type, "JOIN", 4) != 0 || color < 1 || color > 9)
        end(1, "JOIN is answered by %.4s %d", (char *)type, color);
    if (color >= 3)
        end(2, color == 3 ? "both seats are taken, we could only watch" : "denied with code %d", color);

    for (;;) {
        if (!get(type, 4, 1)) {
            fprintf(stderr, "tttp: the server has closed\n");         /* it may do so at any time */
            leave("cancelled");
        }
        if (memcmp(type, "CHAT", 4) == 0) {
            get_chat(argv[2]);
            continue;
        }
        if (memcmp(type, "UPDT", 4) != 0)
            end(1, "a packet of type %02x %02x %02x %02x", type[0], type[1], type[2], type[3]);
        get(now, sizeof now, 0);
        int turn = now[0], won = now[1], pieces = check(turn, won, now + 2), changed = 0;

        if (before[0] == 0 && won != 0)
            end(1, "we took a seat, and won = %d", won);
        if (before[0] != 0 && pieces == 0 && memcmp(before, now, sizeof now) != 0 && won == 0)
            fresh = 1;                  /* by RMCH or a new player; our PLAY for the old board may be on its way */
        else if (before[0] != 0)
            for (int i = 2; i < 2 + SPOTS; i++)
                if (now[i] != before[i]) {
                    if (changed++ || before[i] != 0 || now[i] != before[0] || before[1] != 0)
                        end(1, "the change in spot %d is not one move", i - 1);
                    if (now[i] == color && (i - 2) % COLUMNS != column && !fresh)
                        end(1, "we played column %d, and the piece is in spot %d", column, i - 1);
                }
        if ((won == 1 || won == 2) && changed && !has_line(now + 2, won))
            end(1, "won = %d without a line", won);     /* without a move it may be by time */
        if (won != 0)
            leave(won == 4 ? "cancelled" : won == 3 ? "draw" : won == color ? "won" : "lost");

        if (pieces >= 2 && !chatted++)
            put("CHAT\0\tgood luck", 15);
        if (turn == color && memcmp(before, now, sizeof now) != 0) {    /* the same board may come twice */
            do
                column = rand() % COLUMNS;
            while (now[2 + column] != 0);
            play[4] = (unsigned char)column;
            put(play, sizeof play);
        }
        expect_answer(turn == color);
        memcpy(before, now, sizeof now);
    }
}
