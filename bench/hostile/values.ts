import { fill, fillObject, LIMIT, nest } from './body.js'

const quoted = (text: string) => JSON.stringify(text.slice(0, LIMIT - 10))

/** Bodies that every library is given. */
export const VALUES = {
  numbers: fill('1'),
  empties: fill('{}'),
  oneAtTheEnd: `[${'1,'.repeat(50_000)}{"a":1}]`,
  lists: fill('[]'),
  listsOfOne: fill('[1]'),
  texts: fill('""'),
  distinctTexts: fill((n) => `"${n.toString(36)}"`),
  distinctObjects: fill((n) => `{"a":${n}}`),
  lastTwins: fill((n) => `{"a":${n || 1}}`),
  names: fillObject('1'),
  longNames: fillObject('1', (n) => `${n}${'x'.repeat(2000)}`),
  oneLongName: `{${quoted('k'.repeat(LIMIT))}:1}`.replace(/k{10}"/, '"'),
  listOfLists: `[${listOf('1', LIMIT - 10)}]`,
  chain: nest('{}'),
  chainOfMany: fill(nest('1', 8)),
  text: quoted('a'.repeat(LIMIT)),
  controls: `"${'\\u0001'.repeat(17_000)}"`,
  brackets: quoted('['.repeat(LIMIT)),
} as const

function listOf(unit: string, room: number): string {
  return `[${Array.from({ length: Math.floor(room / (unit.length + 1)) }, () => unit).join(',')}]`
}

/** Units whose repetition makes expressions go back, and what comes behind. */
const UNITS = [
  'a',
  '1',
  '.',
  'a.',
  '1.',
  '-',
  'a-',
  '::',
  ':',
  '@',
  '+',
  ' ',
  '/',
  '%41',
  'a@',
  'é',
  '0',
  'A=',
  '(',
  '"',
  'P1D',
]
const ENDS = ['', '!', '@', '.', '\u0000']

/** Texts of 100 kB against formats. */
export const LONG_TEXTS: readonly string[] = UNITS.flatMap((unit) =>
  ENDS.map((end) => unit.repeat(Math.floor(100_000 / Buffer.byteLength(unit))) + end),
)

/** Beginnings that formats ask for before they look at the rest. */
export const BEGINNINGS = [
  '',
  'a@',
  'http://',
  'http://a.',
  '2020-01-01T00:00:00.',
  'data:',
  '/',
  '#/',
  '{',
  'urn:',
]
