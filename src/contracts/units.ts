/** A length of time: seconds, or a number with a unit (`'250ms'`, `'90s'`, `'15m'`, `'2h'`, `'1d'`). */
export type Duration = number | string

/** A size: bytes, or a number with a unit (`'512b'`, `'100kb'`, `'1mb'`); 1 kb is 1024 bytes. */
export type Size = number | string
