import { type Hostile, hostile, LIMIT } from './body.js'
import { VALUES } from './values.js'

const anything = {}
const repeated = (unit: string, [open, close] = ['', '']) =>
  open + unit.repeat(Math.floor((LIMIT - 10) / unit.length)) + close

/** Bodies that are hard to read, whatever the schema. */
export const JSON_TEXTS: readonly Hostile[] = hostile('JSON', [
  {
    name: 'one key, again and again',
    schema: anything,
    text: `{${'"a":1,'.repeat(14_000)}"a":1}`,
    status: 200,
  },
  {
    name: 'forbidden keys',
    schema: anything,
    text: `[${'{"__proto__":1},'.repeat(6000)}1]`,
    status: 400,
    code: 'MALFORMED_JSON',
  },
  {
    name: 'constructors',
    schema: anything,
    text: `[${'{"constructor":1},'.repeat(5000)}1]`,
    status: 200,
  },
  {
    name: 'nearly forbidden keys',
    schema: anything,
    text: `[${'{"_\\u005fproto__x":1},'.repeat(4000)}1]`,
    status: 200,
  },
  { name: 'brackets in a text', schema: anything, text: VALUES.brackets, status: 200 },
  {
    name: 'opened only',
    schema: anything,
    text: repeated('['),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  { name: 'escapes', schema: anything, text: VALUES.controls, status: 200 },
  { name: 'backslashes', schema: anything, text: repeated('\\\\', ['"', '"']), status: 200 },
  {
    name: 'a text without an end',
    schema: anything,
    text: repeated('a', ['"', '']),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  {
    name: 'digits',
    schema: anything,
    text: repeated('9', ['1', '']),
    status: 400,
    code: 'MALFORMED_JSON',
  },
  { name: 'digits of a fraction', schema: anything, text: repeated('9', ['0.', '']), status: 200 },
  { name: 'an exponent', schema: anything, text: repeated('9', ['1e-', '']), status: 200 },
  { name: 'spaces', schema: anything, text: repeated(' ', ['', '1']), status: 200 },
  {
    name: 'keys like numbers',
    schema: anything,
    text: VALUES.names
      .replace(/"(\w+)":1/g, (_, n) => `"${Number.parseInt(n, 36)}":1`)
      .slice(0, 90_000)
      .replace(/,[^,]*$/, '}'),
    status: 200,
  },
])
