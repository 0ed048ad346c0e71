/* A Dou Dizhu bot for Botzone's "FightTheLandlord2": leads the longest play, beats as low as it can.

     cc -O2 -o longest botzone_longest.c
     python -m eval.tournament --game doudizhu --agents rule botzone:./longest --set preset=botzone

   One process a move, as the platform has it by default; `./longest stay` asks to keep running.
   Written from the platform's documentation alone. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 15, CARDS = 54, ACE = 11, TWO = 12, BLACK = 13, RED = 14, LINE = 1 << 17 };

/* JSON, as much as is needed: pointers into the text. */

static const char *blank(const char *p) {
    while (isspace((unsigned char)*p) || *p == ',' || *p == ':') p++;
    return p;
}

static const char *skip(const char *p) { /* behind the value that begins at p */
    int depth = 0, quoted = 0;
    for (p = blank(p); *p; p++) {
        if (quoted) {
            if (*p == '\\') p++;
            else if (*p == '"') quoted = 0;
        } else if (*p == '"') quoted = 1;
        else if (strchr("[{", *p)) depth++;
        else if (strchr("]}", *p) && --depth < 0) return p;
        if (depth == 0 && !quoted && (strchr("]}\"", *p) || strchr(",]}:", p[1]))) return p + 1;
    }
    return p;
}

static const char *get(const char *object, const char *key) { /* NULL where there is none */
    const char *p = blank(object + 1);
    size_t length = strlen(key);
    while (*p == '"') {
        const char *name = p + 1;
        p = blank(skip(p));
        if (!strncmp(name, key, length) && name[length] == '"') return p;
        p = blank(skip(p));
    }
    return NULL;
}

static const char *items(const char *array) { return blank(array + 1); }
static int more(const char *item) { return *item && *item != ']'; }
static const char *next(const char *item) { return blank(skip(item)); }

/* Cards: mine by number, and what is to be beaten. */

static int mine[CARDS], beaten[RANKS], best_bid, position = -1, landlord = -1, beaten_by;
static int bidding;

static int rank_of(int card) { return card / 4 + (card == CARDS - 1); }

static int number_of(const int *counts) {
    int sum = 0;
    for (int r = 0; r < RANKS; r++) sum += counts[r];
    return sum;
}

static void count(const char *array, int *counts) {
    memset(counts, 0, RANKS * sizeof *counts);
    for (const char *p = items(array); more(p); p = next(p)) counts[rank_of(atoi(p))]++;
}

static void mark(const char *array, int value) {
    for (const char *p = items(array); more(p); p = next(p)) mine[atoi(p)] = value;
}

static void hear(const char *request) {
    const char *value;
    bidding = get(request, "bid") != NULL;
    if (bidding || (position < 0 && get(request, "own"))) mark(get(request, "own"), 1);
    if (bidding) {
        best_bid = 0;
        for (const char *p = items(get(request, "bid")); more(p); p = next(p))
            if (atoi(p) > best_bid) best_bid = atoi(p);
        return;
    }
    if ((value = get(request, "publiccard")) != NULL) {
        position = atoi(get(request, "pos"));
        landlord = atoi(get(request, "landlord"));
        if (position == landlord) mark(value, 1);
    }
    const char *before = items(get(request, "history")), *last = next(before);
    beaten_by = (position + 2) % 3;
    count(last, beaten);
    if (number_of(beaten)) return;
    beaten_by = (position + 1) % 3;
    count(before, beaten);
}

/* Plays: `length` ranks from `lowest` on, `each` cards of each, kickers of `kicker` cards. */

struct play { int each, length, kicker, lowest; };

static int kickers_of(struct play play) { /* how many there are */
    return play.kicker == 0 ? 0 : play.each == 4 ? 2 : play.length;
}

static int find(const int *hand, struct play *play, int above, int *cards) {
    for (play->lowest = above + 1; play->lowest + play->length <= RANKS; play->lowest++) {
        int last = play->lowest + play->length - 1, fits = 1, wanted = kickers_of(*play);
        if ((play->length > 1 && last > ACE) || (play->each > 1 && last > TWO)) break;
        memset(cards, 0, RANKS * sizeof *cards);
        for (int r = play->lowest; r <= last; r++) {
            fits &= hand[r] >= play->each;
            cards[r] = play->each;
        }
        for (int spare = 0; fits && spare < 4; spare++) /* the loosest first */
            for (int r = 0; r < RANKS && wanted; r++)
                if (!cards[r] && hand[r] == play->kicker + spare) {
                    cards[r] = play->kicker;
                    wanted--;
                }
        if (fits && !wanted) return 1;
    }
    return 0;
}

static int read_play(const int *cards, struct play *play) { /* 0 for what this bot cannot beat */
    int most = 0, least = 5;
    for (int r = 0; r < RANKS; r++) {
        if (cards[r] > most) most = cards[r];
        if (cards[r] && cards[r] < least) least = cards[r];
    }
    play->each = most;
    play->length = play->lowest = 0;
    for (int r = RANKS - 1; r >= 0; r--)
        if (cards[r] == most) play->length++, play->lowest = r;
    play->kicker = number_of(cards) > most * play->length ? least : 0;
    return !(most == 1 && cards[RED] && cards[BLACK] && number_of(cards) == 2);
}

static int lead(const int *hand, int *cards) {
    static const struct play shapes[] = {
        {3, 5, 1, 0}, {3, 4, 2, 0}, {3, 4, 1, 0}, {3, 3, 2, 0}, {3, 3, 1, 0}, {1, 12, 0, 0},
        {2, 6, 0, 0}, {1, 11, 0, 0}, {3, 2, 2, 0}, {2, 5, 0, 0}, {1, 10, 0, 0}, {1, 9, 0, 0},
        {3, 3, 0, 0}, {3, 2, 1, 0}, {2, 4, 0, 0}, {1, 8, 0, 0}, {1, 7, 0, 0}, {3, 2, 0, 0},
        {2, 3, 0, 0}, {1, 6, 0, 0}, {3, 1, 2, 0}, {1, 5, 0, 0}, {3, 1, 1, 0}, {3, 1, 0, 0},
        {2, 1, 0, 0}, {1, 1, 0, 0},
    };
    struct play four = {4, 1, number_of(hand) % 2 ? 1 : 2, 0};
    if (number_of(hand) <= 14 && find(hand, &four, -1, cards)) return 1;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct play play = shapes[i];
        if (find(hand, &play, -1, cards)) return 1;
    }
    return 0;
}

static int follow(const int *hand, int *cards) {
    struct play play, bomb = {4, 1, 0, 0};
    if (!read_play(beaten, &play)) return 0;
    if (find(hand, &play, play.lowest, cards)) return 1;
    if (landlord != position && landlord != beaten_by) return 0; /* the partner's */
    if (find(hand, &bomb, play.each == 4 && !play.kicker ? play.lowest : -1, cards)) return 1;
    memset(cards, 0, RANKS * sizeof *cards);
    cards[BLACK] = cards[RED] = 1;
    return hand[BLACK] && hand[RED];
}

static void answer(void) {
    int hand[RANKS] = {0}, cards[RANKS] = {0}, comma = 0;
    for (int card = 0; card < CARDS; card++) hand[rank_of(card)] += mine[card];
    if (bidding) {
        int bid = (hand[TWO] + hand[ACE] + 2 * hand[BLACK] + 2 * hand[RED]) / 2;
        if (bid > 3) bid = 3;
        printf("{\"response\": %d}\n", bid > best_bid ? bid : 0);
        return;
    }
    if (!(number_of(beaten) ? follow(hand, cards) : lead(hand, cards)))
        memset(cards, 0, sizeof cards);
    printf("{\"response\": [");
    for (int card = 0; card < CARDS; card++)
        if (mine[card] && cards[rank_of(card)]) {
            cards[rank_of(card)]--;
            mine[card] = 0;
            printf(comma++ ? ",%d" : "%d", card);
        }
    printf("]}\n");
}

int main(int number, char **words) {
    static char line[LINE];
    int stays = number > 1 && !strcmp(words[1], "stay");
    if (!fgets(line, sizeof line, stdin)) return 1;
    const char *request = items(get(line, "requests")), *response = items(get(line, "responses"));
    while (1) {
        hear(request);
        if (!more(response)) break;
        if (*response == '[') mark(response, 0);
        request = next(request);
        response = next(response);
    }
    answer();
    while (stays) {
        puts(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) return 0;
        hear(line);
        answer();
    }
    return 0;
}
