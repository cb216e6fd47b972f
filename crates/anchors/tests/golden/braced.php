<?php
namespace One\Two {
    function f() {}
    class A { function m() {} }
}

namespace {
    function g() {}
}
