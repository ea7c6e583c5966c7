/* A client for Go in lines of text that plays one game with random moves, and checks whether the server does what its
 * protocol page says. It expects a server on this machine, with default settings.
 *
 *     gcc -std=c11 -Wall -Wextra -Werror -O1 -o go_text go_text.c
 *     ./go_text PORT [SIZE]       twice; the first answers SIZE (9), and random values for the other terms
 *
 * The last line printed is won, lost or draw, with the score if there is one, or cancelled; the exit status is 0. What
 * the server does against the page is printed on stderr, and the status is 1. Without a server the status is 2. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { MAX_POINTS = 25 * 25, MAX_POSITIONS = 100000, PATIENCE = 30 };
enum state { BEFORE_TERMS, CONFIRMING, PLACING, RUNNING, OVER };        /* PLACING handicap stones; OVER: two passes */

static int sock, size, color, handicap;         /* color: 1 black, 2 white */
static FILE *in;
static enum state state;
static char board[MAX_POINTS];                  /* 0 empty, 1 black, 2 white; Y X is board[Y * size + X] */
static int captured[3];                         /* stones captured by each color */
static uint64_t seen[MAX_POSITIONS];            /* checksums of the earlier positions */
static int positions, moves, our_turn, passed;  /* passed: the last move was a PASS */
static int sent = -1;                           /* the point of our PLAY that is not answered yet */

static void end(int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs(status == 1 ? "violation: " : "go_text: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    exit(status);
}

/* Reads a line, without its newline; NULL at the end of the stream. If the server has to answer, there is a time limit. */
static char *get_line(int owed)
{
    static char *line;
    static size_t room;
    struct timeval limit = { .tv_sec = owed ? PATIENCE : 0 };           /* 0: no limit */

    setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ssize_t length = getline(&line, &room, in);
    if (length < 0 && ferror(in) && (errno == EAGAIN || errno == EWOULDBLOCK))
        end(1, "no answer for %d s", PATIENCE);
    if (length < 0)
        return NULL;
    if (line[--length] != '\n')
        end(1, "the stream ends within a line");
    line[length] = '\0';
    for (ssize_t i = 0; i < length; i++)
        if (line[i] < 0x20 || line[i] > 0x7e)
            end(1, "byte %02x in '%s'", line[i] & 0xff, line);
    if (length == 0 || line[0] == ' ' || line[length - 1] == ' ' || strstr(line, "  "))
        end(1, "wrong blanks in '%s'", line);
    return line;
}

static int neighbors(int point, int near[4])
{
    int count = 0;

    if (point >= size) near[count++] = point - size;
    if (point < size * (size - 1)) near[count++] = point + size;
    if (point % size > 0) near[count++] = point - 1;
    if (point % size < size - 1) near[count++] = point + 1;
    return count;
}

/* Marks the chain or empty region of a point. Returns what it touches as bits: 1 empty, 2 black, 4 white. */
static int flood(const char *on, int point, char *marked)
{
    int near[4], touched = 0;

    marked[point] = 1;
    for (int i = neighbors(point, near); i-- > 0;)
        if (on[near[i]] != on[point])
            touched |= 1 << on[near[i]];
        else if (!marked[near[i]])
            touched |= flood(on, near[i], marked);
    return touched;
}

/* Removes the chain of a point if it has no liberties. Returns the number of stones removed. */
static int take(char *on, int point)
{
    char marked[MAX_POINTS] = { 0 };
    int count = 0;

    if (flood(on, point, marked) & 1)
        return 0;
    for (int i = 0; i < size * size; i++)
        if (marked[i]) {
            on[i] = 0;
            count++;
        }
    return count;
}

/* Returns whether a stone is legal: on an empty point, no suicide, no earlier position. If really, puts it. */
static int put_stone(int point, int who, int really)
{
    char next[MAX_POINTS];
    int near[4], taken = 0;
    uint64_t sum = 14695981039346656037u;       /* FNV-1a */

    memcpy(next, board, sizeof next);
    if (next[point] != 0)
        return 0;
    next[point] = (char)who;
    for (int i = neighbors(point, near); i-- > 0;)
        if (next[near[i]] == 3 - who)
            taken += take(next, near[i]);
    if (take(next, point) > 0)
        return 0;
    for (int i = 0; i < size * size; i++)
        sum = (sum ^ (uint64_t)next[i]) * 1099511628211u;
    for (int i = 0; i < positions; i++)
        if (seen[i] == sum)
            return 0;
    if (really) {
        memcpy(board, next, sizeof next);
        captured[who] += taken;
        if (positions < MAX_POSITIONS)
            seen[positions++] = sum;
    }
    return 1;
}

/* Sends PLAY with a legal point that is not our own eye, or PASS if there is none or we have played long enough. */
static void move(void)
{
    int points[MAX_POINTS], near[4], count = size * size;

    for (int i = 0; i < count; i++)
        points[i] = i;
    if (state == RUNNING && moves++ > size * size)
        count = 0;
    while (count > 0) {
        int pick = rand() % count, eye = 1;
        sent = points[pick];
        points[pick] = points[--count];
        for (int i = neighbors(sent, near); i-- > 0;)
            eye = eye && board[near[i]] == color;
        if (!eye && put_stone(sent, color, 0)) {
            dprintf(sock, "PLAY %d %d\n", sent / size, sent % size);
            return;
        }
    }
    sent = -1;
    dprintf(sock, "PASS\n");
    if (state == PLACING) {
        handicap = 0;                           /* START follows, and it is still black's turn */
        return;
    }
    our_turn = 0;
    if (passed)
        state = OVER;
    passed = 1;
}

static int territory(int who)
{
    int count = 0;

    for (int point = 0; point < size * size; point++) {
        char marked[MAX_POINTS] = { 0 };
        count += board[point] == 0 && flood(board, point, marked) == 1 << who;
    }
    return count;
}

static void game_over(const char *line, double komi)
{
    char won[6], resigned[6];
    int n = 0, takes[2], lands[2];
    double total[2];
    int count = sscanf(line, "GAMEOVER %5s %5s%n %d %d %d %d %lf %lf%n", won, resigned, &n, &takes[0], &takes[1],
                       &lands[0], &lands[1], &total[0], &total[1], &n);

    if (count == 2 && strcmp(line, "GAMEOVER True True") == 0)          /* at any time, but we never resign */
        puts("won, the opponent has resigned");
    else if (count != 8 || line[n] != '\0' || strcmp(resigned, "False") != 0 || state != OVER)
        end(1, "'%s' at the wrong time, or with wrong parameters", line);
    else {
        for (int i = 0; i < 2; i++) {
            int who = i == 0 ? color : 3 - color;
            double error = total[i] - takes[i] - lands[i] - (who == 2 ? komi : 0);
            if (takes[i] != captured[who] || lands[i] != territory(who) || error > 1e-9 || error < -1e-9)
                end(1, "'%s', but %d has %d and %d, komi %.10f", line, who, captured[who], territory(who), komi);
        }
        if (strcmp(won, total[0] > total[1] ? "True" : "False") != 0)
            end(1, "'%s': the winner is wrong", line);
        printf("%s %.10g to %.10g\n", total[0] > total[1] ? "won" : total[0] < total[1] ? "lost" : "draw", total[0],
               total[1]);
    }
    if ((line = get_line(1)))
        end(1, "'%s' after GAMEOVER", line);
    exit(0);
}

int main(int argc, char **argv)
{
    static const char *const questions[4] = { "QUERY boardsize", "QUERY color", "QUERY handicap", "QUERY komi" };
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    double answers[4] = { argc > 2 ? atoi(argv[2]) : 9 }, komi = 0;
    int asked = 0, stones = 0, y, x, n;
    char *line;

    if (argc < 2 || argc > 3 || answers[0] < 2 || answers[0] > 25)
        end(2, "usage: go_text PORT [SIZE], SIZE from 2 to 25");
    srand((unsigned)getpid());
    signal(SIGPIPE, SIG_IGN);                   /* if the server has gone, the next get_line will show it */
    answers[1] = 1 + rand() % 2;
    answers[2] = rand() % 4;
    answers[3] = rand() % 13 / 2.0 - 2;
    address.sin_port = htons((unsigned short)atoi(argv[1]));
    sock = socket(AF_INET, SOCK_STREAM, 0);
    if (sock < 0 || connect(sock, (struct sockaddr *)&address, sizeof address) < 0 || !(in = fdopen(sock, "rb")))
        end(2, "cannot connect to port %s", argv[1]);

    while ((line = get_line(sent >= 0 || state == OVER))) {
        n = 0;
        if (state == BEFORE_TERMS && asked < 4 && strcmp(line, questions[asked]) == 0) {
            dprintf(sock, "RESPONSE %s %g\n", line + strlen("QUERY "), answers[asked]);
            asked++;
        } else if (state == BEFORE_TERMS && asked % 4 == 0
                   && sscanf(line, "TERMS %d %d %d %lf%n", &size, &color, &handicap, &komi, &n) == 4 && !line[n]) {
            if (size < 2 || size > 25 || color < 1 || color > 2 || handicap < 0 || handicap >= size * size
                || (asked && (size != answers[0] || color != answers[1] || handicap != answers[2]
                              || komi != answers[3])))
                end(1, "'%s' are not the terms", line);
            dprintf(sock, "TERMSCONFIRM Yes\n");
            state = CONFIRMING;
        } else if (state == CONFIRMING && strcmp(line, "TERMSOK") == 0) {
            state = PLACING;
            if (color == 1 && handicap > 0)
                move();
        } else if (state == PLACING && strcmp(line, "START") == 0 && (color == 2 || stones >= handicap)) {
            state = RUNNING;
            our_turn = color == 1;
            if (our_turn)
                move();
        } else if (sent >= 0 && strcmp(line, "SUCCESS") == 0) {
            put_stone(sent, color, 1);
            sent = -1;
            our_turn = passed = 0;
            if (state == PLACING && ++stones < handicap)
                move();
        } else if (sscanf(line, "OPPONENTPLAY %d %d%n", &y, &x, &n) == 2 && !line[n] && y >= 0 && y < size && x >= 0
                   && x < size && (state == PLACING ? color == 2 && stones++ < handicap : state == RUNNING && !our_turn)
                   && put_stone(y * size + x, 3 - color, 1)) {
            passed = 0;
            our_turn = state == RUNNING;
            if (our_turn)
                move();
        } else if (state == RUNNING && !our_turn && strcmp(line, "OPPONENTPASS") == 0) {
            if (passed)
                state = OVER;
            our_turn = passed = 1;
            if (state == RUNNING)
                move();
        } else if (state >= PLACING && strncmp(line, "GAMEOVER ", 9) == 0) {
            game_over(line, komi);
        } else
            end(1, "'%s' is unknown, at the wrong time, or (ERROR) wrong about our last line", line);
    }
    puts("cancelled");                          /* a player has refused the terms, or the server has closed */
    return 0;
}
