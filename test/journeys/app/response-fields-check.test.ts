import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Account,
  ADA,
  errors,
  json,
  ROW,
  read,
  routeOf,
  start,
  Tagged,
  User,
  WaysController,
} from './response-fields-app.js'

describe("the option responses: 'check'", () => {
  const LIES: [string, object, unknown, RegExp][] = [
    ['an undescribed field', User, ROW, /does not describe at 'data\.passwordHash'/],
    ['a field of another type', User, { ...ADA, id: 'secret' }, /schema at 'data\.id'/],
    ['a missing field', User, { id: 1 }, /schema at 'data\.name'/],
    [
      'an undescribed field in a list item',
      z.array(User),
      [ADA, ROW],
      /at 'data\[1\]\.passwordHash'/,
    ],
    [
      'an undescribed field in a record',
      z.record(z.string(), User),
      { 'secret@x.org': ROW },
      /at 'data\.\*\.passwordHash'/,
    ],
    ['a value that matches no alternative', Tagged, { kind: 'cow' }, /schema at 'data\./],
    ['an invalid date', z.object({ at: z.date() }), { at: new Date(Number.NaN) }, /at 'data\.at'/],
    ['a tuple with too many items', z.tuple([z.string()]), ['a', 'secret'], /at 'data(\[1\])?'/],
  ]

  it.each(LIES)(
    'refuses %s, and logs the route and the location, but no value',
    async (_, schema, value, text) => {
      await start(
        routeOf(schema, () => value),
        { responses: 'check' },
      )
      const response = await read('/user')
      expect(response.status).toBe(500)
      expect(response.text).not.toMatch(/secret|password/)
      expect(JSON.parse(response.text)).toMatchObject({ message: 'Internal Server Error' })
      expect(errors).toHaveLength(1)
      expect(errors[0]?.err.message).toMatch(/^UserController\.find: the response 200/)
      expect(errors[0]?.err.message).toMatch(text)
      expect(String(errors[0]?.err.stack)).not.toContain('secret')
    },
  )

  it('accepts data that the schema describes', async () => {
    const value = { user: new Account(), list: [ADA], at: new Date(0) }
    const schema = z.object({ user: User, list: z.array(User), at: z.date().nullable() })
    await start(
      routeOf(schema, () => value),
      { responses: 'check' },
    )
    expect(await json('/user')).toEqual({
      statusCode: 'success',
      status: 200,
      message: 'OK',
      data: { user: ADA, list: [ADA], at: new Date(0).toISOString() },
    })
  })

  it.each(['json', 'bare-json', 'send', 'jsonp', 'later', 'etag', 'raw', 'cached'])(
    'refuses a response of /ways/%s that does not match its schema',
    async (way) => {
      await start(WaysController, { responses: 'check' })
      for (let i = 0; i < 2; i++) {
        const { status, text } = await read(`/ways/${way}`)
        expect(status).toBe(500)
        expect(text).not.toContain('secret')
      }
      expect(errors).toHaveLength(2)
    },
  )
})
