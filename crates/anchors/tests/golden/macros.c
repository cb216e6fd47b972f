LUALIB_API lua_Integer luaL_len (lua_State *L, int idx) {
  lua_Integer l;
  l = lua_tointegerx(L, -1);
  return l;
}

#ifdef WIDE
static int put(wchar_t c) {
#else
static int put(char c) {
#endif
  return emit(c);
}

int after(void) {
  return 1;
}
