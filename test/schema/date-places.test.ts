import { type as ark } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { FoundPlace } from '../../src/schema/found-places.js'
import { findDates } from '../../src/schema/response-dates.js'
import { toJsonSchema } from '../../src/schema/to-json-schema.js'

const placesOf = (schema: object) => readable(findDates(toJsonSchema(schema, { side: 'output' })))

/** Places as a plain value: `date`, or the places inside; `itself` for a place in itself. */
function readable(place: FoundPlace | null, around: readonly FoundPlace[] = []): unknown {
  if (place === null) return null
  if (around.includes(place)) return 'itself'
  const { isFound, properties, others, items } = place
  const inside = (each: FoundPlace) => readable(each, [...around, place])
  return {
    ...(isFound && { date: true }),
    ...Object.fromEntries([...properties].map(([name, each]) => [`.${name}`, inside(each)])),
    ...(others && { others: inside(others) }),
    ...(items && { items: inside(items) }),
  }
}

const date = { date: true }

describe('findDates', () => {
  it.each([
    ['zod', z.object({ id: z.string(), at: z.date() })],
    ['zod, an ISO string', z.object({ id: z.string(), at: z.iso.datetime() })],
    ['valibot', v.object({ id: v.string(), at: v.date() })],
    ['arktype', ark({ id: 'string', at: 'Date' })],
    ['TypeBox', Type.Object({ id: Type.String(), at: Type.String({ format: 'date-time' }) })],
    ['JSON Schema', { properties: { id: {}, at: { type: 'string', format: 'date-time' } } }],
  ])('finds the date in a schema: %s', (_library, schema) => {
    expect(placesOf(schema)).toEqual({ '.at': date })
  })

  it('finds dates in lists, tuples, records and all alternatives', () => {
    const At = z.object({ at: z.date().nullable() })
    const Row = z.object({
      rows: z.array(At.optional()),
      pair: z.tuple([z.string(), z.date()]),
      byDay: z.record(z.string(), At),
      either: z.union([z.string(), z.object({ on: z.date() }), z.array(z.date())]),
      both: z.intersection(At, z.object({ until: z.date() })),
      count: z.number(),
    })
    expect(placesOf(Row)).toEqual({
      '.rows': { items: { '.at': date } },
      '.pair': { items: date },
      '.byDay': { others: { '.at': date } },
      '.either': { '.on': date, items: date },
      '.both': { '.at': date, '.until': date },
    })
  })

  it('follows references, and visits each recursive schema only once', () => {
    const Person = z.object({ born: z.date() }).meta({ id: 'Person' })
    expect(placesOf(z.object({ author: Person, readers: z.array(Person) }))).toEqual({
      '.author': { '.born': date },
      '.readers': { items: { '.born': date } },
    })
    const Comment = z.object({
      at: z.date(),
      get replies() {
        return z.array(Comment)
      },
    })
    expect(placesOf(z.object({ top: Comment }))).toEqual({
      '.top': { '.at': date, '.replies': { items: 'itself' } },
    })
  })

  it('returns null for a schema without dates', () => {
    expect(placesOf(z.object({ id: z.string(), day: z.iso.date(), any: z.any() }))).toBeNull()
    expect(placesOf({ $ref: '#/$defs/none' })).toBeNull()
  })
})
