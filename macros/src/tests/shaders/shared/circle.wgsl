import package::circle::g;
fn f() { g(); }
