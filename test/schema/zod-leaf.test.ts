import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { $ZodType, ParseContextInternal, ParsePayload } from 'zod/v4/core'
import { quickLeaf } from '../../src/schema/bounded/zod-leaf.js'
import type { ZodNode } from '../../src/schema/bounded/zod-node.js'

const SYNC = { async: false }

const LEAVES: Readonly<Record<string, $ZodType>> = {
  text: z.string().min(3).max(5),
  exact: z.string().length(2),
  changed: z.string().trim().toLowerCase().min(2),
  ended: z.string().min(3, { abort: true }).regex(/^b/).max(1),
  endedLater: z.string().regex(/^b/).min(3, { abort: true }).max(1),
  pattern: z.string().regex(/^b/).startsWith('b').endsWith('c').includes('x').uppercase(),
  email: z.email(),
  formatted: z.string().email().min(20),
  longEmail: z.email().min(20),
  url: z.url(),
  uuid: z.uuid(),
  iso: z.iso.datetime(),
  ip: z.ipv4(),
  jwt: z.jwt(),
  base64: z.base64().max(2),
  whole: z.number().int().min(1).max(3),
  int: z.int(),
  int32: z.int32().gt(1).lt(5),
  step: z.number().multipleOf(5).min(6),
  coerced: z.coerce.number().min(3),
  big: z.bigint().min(5n).multipleOf(2n),
  date: z.date().min(new Date(0)).max(new Date(1)),
  named: z.string({ error: 'Give a name' }).min(2, { error: 'Give a longer name' }),
}

const VALUES: readonly unknown[] = [
  ...[undefined, null, true, '', 'a', 'B', ' ab ', 'abcdef', 'bcd', 'nobody', 'a@b.example'],
  ...[0, 1.5, 2, 7, -1, 2 ** 60, Number.NaN, Number.POSITIVE_INFINITY, 1n, 7n, 8n],
  ...[new Date(-1), new Date(0), new Date(9), new Date(Number.NaN), [], ['a'], {}],
]

/** What a schema finds, or throws. */
function found(schema: unknown, value: unknown, context: ParseContextInternal = SYNC) {
  try {
    return (schema as $ZodType)._zod.run({ value, issues: [] }, context) as ParsePayload
  } catch (thrown) {
    return { thrown }
  }
}

const quick = (schema: $ZodType) => quickLeaf(schema as unknown as ZodNode)

describe('quickLeaf', () => {
  // If this fails: does zod still run checks in the same way? Then allow the version.
  it.each(Object.entries(LEAVES))('runs the checks of %s itself', (_name, schema) => {
    expect(quick(schema)).not.toBe(schema)
  })

  it.each(Object.entries(LEAVES))('finds what zod finds: %s', (_name, schema) => {
    const results = VALUES.map((value) => found(quick(schema), value))
    expect(results).toEqual(VALUES.map((value) => found(schema, value)))
    expect(results.some((result) => 'issues' in result && result.issues.length > 0)).toBe(true)
  })

  it('adds to issues that were found before as zod does', () => {
    const { text: schema } = LEAVES as { text: $ZodType }
    const issue = { code: 'custom', input: '', continue: true } as const
    const addedBy = (node: unknown) =>
      (node as $ZodType)._zod.run({ value: 'a', issues: [issue] }, SYNC)
    expect(addedBy(quick(schema))).toEqual(addedBy(schema))
  })

  it.each([{ direction: 'backward' }, { skipChecks: true }] as const)(
    'leaves %o to zod',
    (context) => {
      for (const schema of Object.values(LEAVES)) {
        for (const value of VALUES) {
          const given = { ...SYNC, ...context }
          expect(found(quick(schema), value, given)).toEqual(found(schema, value, given))
        }
      }
    },
  )

  it.each([
    ['a refinement', z.string().refine(async () => true)],
    [
      'a check of a program',
      z
        .string()
        .min(2)
        .check(z.superRefine(() => {})),
    ],
    ['no checks', z.string()],
    ['a list', z.array(z.string()).min(1)],
  ])('returns a schema with %s unchanged', (_what, schema) => {
    expect(quick(schema)).toBe(schema)
  })

  it('returns a schema of another version of zod unchanged', () => {
    const schema = z.string().min(2)
    Object.assign(schema._zod, { version: { major: 4, minor: 7, patch: 0 } })
    expect(quick(schema)).toBe(schema)
  })
})
