import { formOf } from './write-form.js'

/** A header that must not occur in any response. If it occurs, a request value was written into a header unescaped. */
export const INJECTED = 'x-fuzz-injected'

/** Strings that are known to cause errors in applications. */
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

/** Path segments, sent unchanged. Some have invalid percent-encodings. */
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

/** Values that a client can send in a header. Other values, such as line breaks, are rejected before they are sent. */
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

/** JSON bodies, sent unchanged. */
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

const NAMED = 'Content-Disposition: form-data; name="x-fuzz"'

/** Form parts that are never allowed: each makes its form malformed. */
export const MALFORMED_PARTS: readonly string[] = [
  'X-Fuzz: 1\r\n\r\nno name',
  'Content-Disposition: form-data\r\n\r\nno name',
  'Content-Disposition: attachment; name="x-fuzz"\r\n\r\nno part of a form',
  'Content-Disposition: form-data; name="a"; name="b"\r\n\r\ntwo names',
  `${NAMED}\r\n${NAMED}\r\n\r\ntwo names`,
  'Content-Disposition: form-data; name="a\0b"\r\n\r\na control character',
  `${NAMED}; filename*=utf-8''a.txt\r\n\r\nan extended name`,
  `${NAMED}\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ==`,
  'Content-Disposition: form-data; name="__proto__"\r\n\r\na forbidden name',
  `${NAMED}\r\n\r\n\xff\xfe`,
  `${NAMED}\r\n${'X-Fuzz: 1\r\n'.repeat(40)}\r\ntoo many headers`,
]

/** Bodies that are sent in place of a form, as Latin-1. The rules of the form determine whether they are rejected. */
export const HOSTILE_FORMS: readonly string[] = [
  ...MALFORMED_PARTS.map((part) => form(part)),
  form(`${NAMED}; filename="../../etc/passwd"\r\n\r\na folder`),
  form(`${NAMED}; filename="a\\"\r\n${INJECTED}: 1"\r\n\r\na line break`),
  form(`${NAMED}; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n`),
  form(
    `${NAMED}\r\nContent-Type: multipart/mixed; boundary=inner\r\n\r\n--inner\r\n\r\na\r\n--inner--`,
  ),
  form(`${NAMED}\r\nContent-Type: text/plain; charset=utf-7\r\n\r\n+AGE-`),
  form('Content-Disposition: form-data; name="a[b][c][d][e][f]"\r\n\r\n1'),
  form('Content-Disposition: form-data; name="constructor.prototype"\r\n\r\n1'),
  form(...Array.from({ length: 1_200 }, () => `${NAMED}\r\n\r\n1`)),
  form(),
  formOf([NAMED], '').toString('latin1'),
  '--fuzz-boundary',
  '--fuzz-boundary--',
  '\r\n\r\n',
  '{"a":1}',
  'x'.repeat(4_000),
]

function form(...parts: readonly string[]): string {
  return formOf(parts).toString('latin1')
}
