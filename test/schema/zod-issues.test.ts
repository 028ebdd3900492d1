import { createRequire } from 'node:module'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { $ZodIssue, $ZodRawIssue } from 'zod/v4/core'
import * as core from 'zod/v4/core'
import { createValidatorCompiler } from '../../src/schema/compile-validator.js'
import { compileZod } from '../../src/schema/compile-zod.js'
import { canReadIssues, type RawIssue, readIssues } from '../../src/schema/zod-issues.js'

/** A schema that raises an issue of every kind that needs no function of the program, and values that raise them. */
const Everything = z.object({
  type: z.string(),
  whole: z.int(),
  finite: z.number(),
  date: z.date(),
  literal: z.literal('a'),
  literals: z.literal(['a', 1, null]),
  choice: z.enum(['a', 'b']),
  short: z.string().min(3),
  long: z.string().max(2),
  exact: z.string().length(2),
  low: z.number().min(1),
  high: z.number().max(1),
  above: z.number().gt(1),
  below: z.number().lt(1),
  step: z.number().multipleOf(5),
  big: z.bigint().min(5n),
  few: z.array(z.string()).min(2),
  many: z.array(z.string()).max(1),
  set: z.set(z.string()).min(2),
  map: z.map(z.string(), z.number()),
  values: z.map(z.object({}), z.number()),
  record: z.record(z.enum(['a']), z.number()),
  keys: z.record(z.string().regex(/^a/), z.number()),
  strict: z.strictObject({ a: z.string() }),
  union: z.union([z.string(), z.number()]),
  kinds: z.discriminatedUnion('is', [
    z.object({ is: z.literal('a') }),
    z.object({ is: z.literal('b') }),
  ]),
  email: z.email(),
  formatted: z.string().email().min(20),
  uuid: z.uuid(),
  url: z.url(),
  iso: z.iso.datetime(),
  ip: z.ipv4(),
  jwt: z.jwt(),
  pattern: z.string().regex(/^a+$/),
  start: z.string().startsWith('a'),
  end: z.string().endsWith('a'),
  part: z.string().includes('a'),
  upper: z.string().uppercase(),
  template: z.templateLiteral(['a', z.number()]),
  never: z.never(),
  nullish: z.string().nullish(),
  tuple: z.tuple([z.string(), z.number()]),
  own: z.string({ error: 'Give a name' }).min(2, { error: 'Give a longer name' }),
  ofSchema: z.string({ error: ({ code }) => `raised by ${code}` }).min(2),
  partly: z
    .string({ error: ({ code }) => (String(code) === 'too_small' ? undefined : 'no text') })
    .min(2),
  sized: z
    .string()
    .min(2, { error: ({ minimum }) => ({ message: `at least ${minimum}` }) as never }),
})

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  whole: [1.5, 'a', Number.MAX_VALUE],
  finite: [Number.NaN, Number.POSITIVE_INFINITY, null],
  date: [new Date('none')],
  short: ['a'],
  long: ['abc'],
  exact: ['a', 'abc'],
  low: [0],
  high: [2],
  above: [1],
  below: [1],
  step: [7],
  big: [1n],
  few: [['a']],
  many: [['a', 'b']],
  set: [new Set(['a'])],
  map: [new Map<unknown, unknown>([[1, 1]]), new Map([['a', 'b']])],
  values: [new Map([[{}, 'b']])],
  record: [{ b: 1 }, { a: 'b' }],
  keys: [{ b: 1 }],
  strict: [{ a: 'b', c: 1, d: 2 }],
  union: [true],
  kinds: [{ is: 'c' }, {}],
  formatted: ['a'],
  nullish: [1],
  tuple: [['a'], ['a', 'b'], ['a', 1, 2]],
  own: ['a', 1],
  ofSchema: ['a', 1],
  partly: ['a', 1],
  sized: ['a'],
}

const cases = Object.entries(Everything.shape).flatMap(([name, schema]) =>
  [undefined, 'no!', ...(WRONG[name] ?? [])].map((value) => ({ name, schema, value })),
)

const locales = Object.entries(z.locales).map(([name, make]) => ({ name, make }))

/** What zod itself makes of the issues that it has collected. */
function madeByZod(raw: readonly $ZodRawIssue[]): Pick<$ZodIssue, 'path' | 'message'>[] {
  return raw.map((issue) => {
    const { path, message } = core.util.finalizeIssue(issue, { async: false }, core.config())
    return { path, message }
  })
}

function rawIssues(schema: core.$ZodType, value: unknown): $ZodRawIssue[] {
  const { issues } = schema._zod.run({ value, issues: [] }, { async: false }) as core.ParsePayload
  return issues
}

function madeByUs(schema: core.$ZodType, value: unknown) {
  return readIssues(rawIssues(schema, value) as unknown as RawIssue[], core.config() as never)
}

const before = { ...core.config() }
afterEach(() => {
  z.config({ customError: undefined, localeError: before.localeError })
})

describe('readIssues', () => {
  it('knows the installed version of zod', () => {
    const { version } = createRequire(import.meta.url)('zod/package.json') as { version: string }
    const [major, minor] = version.split('.').map(Number) as [number, number]
    // If this fails: does zod still ask its error maps in the same order? Then allow the version.
    expect(canReadIssues({ major, minor })).toBe(true)
    expect(canReadIssues(core.version)).toBe(true)
  })

  it.each([{ major: 4, minor: 4 }, { major: 4, minor: 7 }, { major: 5, minor: 5 }, {}])(
    'leaves the issues of %o to zod',
    (version) => {
      expect(canReadIssues(version)).toBe(false)
    },
  )

  it.each(locales)('has the messages of zod in the language $name', ({ make }) => {
    z.config(make())
    let count = 0
    for (const { schema, value } of cases) {
      const expected = madeByZod(rawIssues(schema, value))
      expect(madeByUs(schema, value)).toEqual(expected)
      count += expected.length
    }
    expect(count).toBeGreaterThan(cases.length / 2)
  })

  it('raises every kind of issue here', () => {
    const codes = cases
      .flatMap(({ schema, value }) => rawIssues(schema, value))
      .map(({ code }) => code)
    expect([...new Set(codes)].sort()).toEqual(
      [
        'invalid_element',
        'invalid_format',
        'invalid_key',
        'invalid_type',
        'invalid_union',
        'invalid_value',
        'not_multiple_of',
        'too_big',
        'too_small',
        'unrecognized_keys',
      ].sort(),
    )
  })

  it('asks the map of z.config before the language', () => {
    z.config({ customError: ({ code }) => (code === 'too_small' ? 'more, please' : undefined) })
    for (const { schema, value } of cases) {
      expect(madeByUs(schema, value)).toEqual(madeByZod(rawIssues(schema, value)))
    }
    expect(madeByUs(Everything.shape.short, 'a')[0]?.message).toBe('more, please')
  })

  it('gives error maps the issue as zod does', () => {
    const seen: unknown[] = []
    z.config({ customError: (issue) => void seen.push({ ...issue }) })
    for (const { schema, value } of cases) {
      madeByZod(rawIssues(schema, value))
      const byZod = seen.splice(0)
      madeByUs(schema, value)
      expect(seen.splice(0)).toEqual(byZod)
    }
  })

  it('reads no more issues than a response contains', () => {
    const asked: unknown[] = []
    z.config({ customError: (issue) => void asked.push(issue) })
    const fields = Array.from({ length: 40 }, (_, i) => [`f${i}`, z.string()])
    expect(madeByUs(z.object(Object.fromEntries(fields)), {})).toHaveLength(20)
    expect(asked).toHaveLength(20)
  })
})

describe('a compiled schema', () => {
  it('refuses a value with the paths and messages of zod', async () => {
    const validate = await compileZod(Everything)
    const result = await validate?.({ strict: { a: 1, b: 2 }, few: [1] })
    const { error } = Everything.safeParse({ strict: { a: 1, b: 2 }, few: [1] })
    const expected = error?.issues.slice(0, 20).map(({ path, message }) => ({ path, message }))
    expect(result).toEqual({ issues: expected })
  })

  it('honours a language that is set after the first value', async () => {
    const validate = await createValidatorCompiler()(z.object({ a: z.string() }), 'body')
    expect((await validate({})).issues?.[0]?.message).toMatch(/^Invalid input: expected string/)
    z.config(z.locales.de())
    expect((await validate({})).issues?.[0]?.message).toMatch(/^Ungültige Eingabe: erwartet string/)
  })
})
