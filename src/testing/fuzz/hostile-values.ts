/**
 * A header that no response may have. If one has it, a value of the request was written into a header
 * unescaped.
 */
export const INJECTED = 'x-fuzz-injected'

/** Texts that are known to cause errors in applications. */
export const HOSTILE_TEXTS: readonly string[] = [
  `a\r\n${INJECTED}: 1`,
  `a\n${INJECTED}: 1`,
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfff',
  '\u{1f469}\u200d\u{1f680}',
  'e\u0301',
  '\u202eabc',
  'ŉǰßﬃ',
  '%00',
  '%',
  '%ff',
  '..',
  '../../etc/passwd',
  '..%2f..%2f',
  "' OR 1=1 --",
  '{{7*7}}',
  '<script>',
  '[object Object]',
  'NaN',
  'Infinity',
  '-0',
  '1e309',
  '9007199254740993',
  '99999999999999999999',
  ' ',
  'x'.repeat(4000),
]

/** Path segments, sent as they are. Some are not valid percent-encodings. */
export const HOSTILE_SEGMENTS: readonly string[] = [
  '.',
  '..',
  '%2e%2e',
  '%2E%2E%2F',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '%',
  '%ff',
  '%c0%ae',
  '%ed%a0%80',
  `%0d%0a${INJECTED}:%201`,
  '__proto__',
  'constructor',
  '%5c..%5c',
  ';a=b',
  'x'.repeat(2000),
]

/** Values that a client can send in a header. Others, such as line breaks, are refused before they are sent. */
export const HOSTILE_HEADERS: readonly string[] = [
  `a%0d%0a${INJECTED}: 1`,
  `a\\r\\n${INJECTED}: 1`,
  `a\t${INJECTED}: 1`,
  '\u00ff\u0080',
  'å',
  '__proto__',
  '"',
  ';,=:',
  '',
  '%00',
  'x'.repeat(4000),
]

/** Query strings besides the documented parameters. */
export const HOSTILE_QUERIES: readonly string[] = [
  '__proto__=1',
  '__proto__[polluted]=1',
  'constructor[prototype][polluted]=1',
  'hasOwnProperty=1',
  'toString=1',
  '%',
  '=',
  '&&&',
  '%00=%00',
  '%ff=%ff',
  `a=%0d%0a${INJECTED}:%201`,
  'a[b][c][d][e][f][g]=1',
  `a=${'x'.repeat(4000)}`,
]

/** JSON bodies, sent as they are. */
export const HOSTILE_BODIES: readonly string[] = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"\\u005f\\u005fproto\\u005f\\u005f":{"polluted":1}}',
  '{"a":1,"a":2}',
  '{"toString":1,"valueOf":1,"hasOwnProperty":1,"then":1}',
  '"\\ud800"',
  '1e400',
  '[]',
  'null',
  '""',
  '0',
  '['.repeat(500) + ']'.repeat(500),
  `{"a":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
]

/** Bodies that are not JSON. */
export const MALFORMED_BODIES: readonly string[] = [
  '{',
  '{"a":1,}',
  "{'a':1}",
  '[1',
  'x',
  '{"a":NaN}',
]
