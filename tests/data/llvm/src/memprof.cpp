#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#include <unistd.h>
struct Node { char text[64]; Node *next; };
__attribute__((noinline)) static char *make(size_t n) { return (char *)malloc(n); }
__attribute__((noinline)) static Node *node(Node *next) { Node *n = new Node; n->next = next; return n; }
inline __attribute__((always_inline)) char *inl(size_t n) { return make(n * 2); }
__attribute__((noinline)) char *hot(int i) { char *p = make(100 + i); for (int k = 0; k < 1000; k++) ((volatile char *)p)[k % 100] = k; return p; }
__attribute__((noinline)) char *cold(int i) { char *p = inl(4000 + i); p[0] = 1; return p; }
int recurse(int n) { if (n == 0) { char *p = make(10); p[0] = 1; free(p); return 0; } return recurse(n - 1) + 1; }
int main(int argc, char **argv) {
  std::vector<std::string> v;
  Node *list = nullptr;
  for (int i = 0; i < 20; i++) { v.push_back(std::string(40 + i, 'a')); list = node(list); }
  char *c = cold(argc);
  for (int i = 0; i < 10; i++) free(hot(i));
  recurse(5); recurse(3);
  if (argc > 1) { free(cold(3)); char *q = inl(7); q[0] = 2; free(q); }
  free(c);
  while (list) { Node *n = list->next; delete list; list = n; }
  return v.size() == 20 ? 0 : 1;
}
