// The C++ library says __attribute__((__noinline__)) here, which must not meet the language's qualifier of that name.
#pragma once
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
