// The type of keys. The operator replaces this file.
alias K = u32;
