import { beforeAll, describe, expect, it } from 'vitest'
import type { Dialect } from '../docs/snippets.js'
import { compileLines } from './compiler-lines.js'

const HEAD = `import {
  Body, Cookies, csv, cursor, Envelope, file, Get, Header, Headers, HttpCode, page, Paged, Params, Post, Produces, Query,
  type Req, type Request, Upload,
} from 'blazon'
import { z } from 'zod'
const Id = z.object({ id: z.coerce.number() })
const Filter = z.object({ page: z.coerce.number() })
const Note = z.object({ name: z.string() })
const Other = z.object({ name: z.number() })
const Trace = z.object({ 'x-trace': z.string() })
const Session = z.object({ sid: z.string() })
const form = { title: z.string(), scan: file() }
const Pages = cursor(z.object({ id: z.int() }), { order: ['id'] })
const Numbers = page(z.object({ id: z.int() }), { order: ['id'] })
`
const WORKS = ''
const lack = (part: string) => `The options of the route lack ${part}, which the handler reads`
const differ = (part: string) =>
  `The request type of the handler and the options of the route differ in ${part}.`
const BODY = '`body` or `upload`'

/** The decorators of a route, the type of its request, and the text of the compiler. */
const PAIRS: readonly (readonly [decorators: string, request: string, expected: string])[] = [
  // A part in the options, and another part in a decorator.
  [
    '@Post(":id", { params: Id }) @Upload(form)',
    '{ params: typeof Id; upload: typeof form }',
    lack(BODY),
  ],
  [
    '@Post(":id", { params: Id }) @Body(Note)',
    '{ params: typeof Id; body: typeof Note }',
    lack(BODY),
  ],
  [
    '@Post(":id", { params: Id }) @Body("name", z.string())',
    '{ params: typeof Id; body: typeof Note }',
    lack(BODY),
  ],
  [
    '@Get(":id", { params: Id }) @Query(Filter)',
    '{ params: typeof Id; query: typeof Filter }',
    lack('`query`'),
  ],
  [
    '@Get(":id", { params: Id }) @Headers(Trace)',
    '{ params: typeof Id; headers: typeof Trace }',
    lack('`headers`'),
  ],
  [
    '@Get(":id", { params: Id }) @Cookies(Session)',
    '{ params: typeof Id; cookies: typeof Session }',
    lack('`cookies`'),
  ],
  [
    '@Get(":id", { params: Id }) @Paged(Pages)',
    '{ params: typeof Id; query: typeof Pages.query }',
    lack('`query`'),
  ],
  [
    '@Get(":id", { params: Id }) @Paged(Numbers)',
    '{ params: typeof Id; query: typeof Numbers.query }',
    lack('`query`'),
  ],
  [
    '@Post(":id", { body: Note }) @Params(Id)',
    '{ params: typeof Id; body: typeof Note }',
    lack('`params`'),
  ],
  [
    '@Post(":id", { body: Note }) @Params("id", z.coerce.number())',
    '{ params: typeof Id; body: typeof Note }',
    lack('`params`'),
  ],
  [
    '@Post(":id", { upload: form }) @Params(Id)',
    '{ params: typeof Id; upload: typeof form }',
    lack('`params`'),
  ],
  ['@Post(":id", {}) @Upload(form)', '{ upload: typeof form }', lack(BODY)],
  // A part that only one side has, or that differs.
  ['@Post(":id", { params: Id, body: Note })', '{ params: typeof Id }', differ(BODY)],
  ['@Post(":id", { params: Id, upload: form })', '{ params: typeof Id }', differ(BODY)],
  ['@Post("", { body: Other })', '{ body: typeof Note }', differ(BODY)],
  ['@Post("", { upload: form })', '{ body: typeof Note }', differ(BODY)],
  // All parts in one form.
  [
    '@Post(":id", { params: Id, upload: form })',
    '{ params: typeof Id; upload: typeof form }',
    WORKS,
  ],
  ['@Post(":id") @Params(Id) @Upload(form)', '{ params: typeof Id; upload: typeof form }', WORKS],
  [
    '@Get(":id") @Params(Id) @Paged(Pages)',
    '{ params: typeof Id; query: typeof Pages.query }',
    WORKS,
  ],
  // Decorators that declare no part of the request.
  ['@Get(":id", { params: Id }) @Produces(csv())', '{ params: typeof Id }', WORKS],
  ['@Get(":id", { params: Id }) @Envelope(false)', '{ params: typeof Id }', WORKS],
  ['@Post(":id", { params: Id }) @HttpCode(201)', '{ params: typeof Id }', WORKS],
  ['@Get(":id", { params: Id }) @Header("x-a", "b")', '{ params: typeof Id }', WORKS],
]

/** The lines of the compiler for each pair, by its place in the table. */
function compile(dialect: Dialect): Promise<readonly (readonly string[])[]> {
  const lines = PAIRS.map(
    ([decorators, request], index) =>
      `export class T${index} { ${decorators} m(_: Req<${request}>): unknown { return [] } }`,
  )
  return compileLines({ name: 'forms', dialect, head: HEAD, lines })
}

/** The lines of the compiler itself above the explanation of the last overload. */
const OF_OVERLOADS =
  /^ +(?:No overload matches this call|The last overload gave the following error)\.$/

describe.each(['standard', 'legacy'] as const)('a route in the %s dialect', (dialect) => {
  let lines: readonly (readonly string[])[]
  beforeAll(async () => {
    lines = await compile(dialect)
  })

  it.each(PAIRS.map((pair, index) => [...pair, index] as const))(
    'compiles, or causes the expected compiler error: %s with the type %s',
    (_, __, expected, index) => {
      const [head, ...rest] = lines[index] ?? []
      if (expected === WORKS) return expect(lines[index]).toEqual([])
      expect(head).toContain('TS1241')
      expect(rest.filter((line) => !OF_OVERLOADS.test(line))).toEqual([
        expect.stringContaining(expected),
      ])
    },
  )
})
