import { INJECTED } from './hostile-values.js'
import { formOf } from './write-form.js'

const NAMED = 'Content-Disposition: form-data; name="x-fuzz"'

/** Parts that no form may have: each makes its form malformed. */
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

/** Bodies in place of a form, as Latin-1. Whether they are refused depends on the form. */
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
