import { inspect } from 'node:util'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL, ANA, EVENTS, HR, PAYROLL, PLAIN, SECRET, staffApp } from './staff-app.js'

let app: TestApp
beforeAll(async () => {
  app = await staffApp()
})
afterAll(() => app.close())

async function get(path: string, token: string | null, headers: Record<string, string> = {}) {
  const caller = token === null ? app : app.with({ authorization: `Bearer ${token}` })
  const response = await caller.request().get(`/staff/${path}`).set(headers)
  return { status: response.status, text: response.text ?? '', body: response.body, response }
}

const WITH_PAY = {
  ...PLAIN,
  salary: ANA.salary,
  bonus: null,
  bank: ANA.bank,
  reports: ANA.reports,
}
const WITH_HOME = { ...PLAIN, home: ANA.home }

describe('a field with `visibleTo`', () => {
  it.each([
    ['an anonymous caller', null, PLAIN],
    ['a caller without abilities', 'none', PLAIN],
    ['a caller with another ability', 'orders:read', PLAIN],
    ['a caller with one of two abilities', HR, WITH_HOME],
    ['a caller with the ability', PAYROLL, WITH_PAY],
    ['a caller with all abilities', ALL, ANA],
  ])('is sent only to callers that may see it: %s', async (_, token, expected) => {
    const { status, body } = await get('ana', token)
    expect(status).toBe(200)
    expect(body.data).toEqual(expected)
  })

  it.each([
    'ok',
    'send',
    'raw',
    'class',
    'pages',
    'walk',
    'feed',
    'events',
    'record',
    'unnamed',
    'json',
    'other-status',
    'table',
    'rows',
    'stripped',
    'checked',
    'own-envelope',
    'failing',
  ])('is removed from the response of /%s with all its contents', async (path) => {
    for (const token of [null, 'none', 'orders:read']) {
      const { text } = await get(path, token)
      expect(text).not.toContain(SECRET)
      expect(text.length).toBeGreaterThan(0)
    }
  })

  it.each([
    ['ok', { data: ANA }],
    ['send', ANA],
    ['raw', ANA],
    ['pages', { data: { items: [ANA] } }],
    ['walk', { data: { items: [ANA] } }],
    ['events', { data: EVENTS }],
    ['stripped', { data: ANA }],
    ['checked', { data: ANA }],
    ['own-envelope', { payload: ANA }],
    ['bytes', undefined],
    ['fetched', ANA],
  ])('is sent in the response of /%s to its audience', async (path, expected) => {
    const { status, body } = await get(path, ALL)
    expect(status).toBe(200)
    if (expected !== undefined) expect(body).toMatchObject(expected)
    else expect(String(body)).toContain(SECRET)
  })

  it('is removed as a whole if it is an item of a list', async () => {
    expect((await get('events', null)).body.data).toEqual([
      EVENTS[0],
      { kind: 'moved', amount: 'one floor' },
    ])
  })

  it('is removed from records, and from objects without a schema', async () => {
    expect((await get('record', null)).body.data).toEqual({})
    expect((await get('record', PAYROLL)).body.data).toEqual({ a: SECRET, constructor: SECRET })
    expect((await get('unnamed', null)).body.data).toEqual({ id: 1, rest: { a: [{}] }, salary2: 1 })
    expect((await get('json', null)).body).toEqual({ data: PLAIN, also: {} })
    expect((await get('other-status', null)).body).toEqual({ person: [PLAIN] })
  })

  it('is also removed from CSV', async () => {
    const table = await get('table', null, { accept: 'text/csv' })
    expect(table.text).toBe('id,salary\r\n1,\r\n')
    expect((await get('rows', null, { accept: 'text/csv' })).text).not.toContain(SECRET)
    expect((await get('table', ALL, { accept: 'text/csv' })).text).toContain(SECRET)
    expect((await get('rows', ALL, { accept: 'text/csv' })).text).toContain(SECRET)
  })

  it('is removed from the items of streams', async () => {
    for (const accept of ['text/event-stream', 'application/jsonl']) {
      const plain = await get('feed', null, { accept })
      expect(plain.text).toContain('Graz')
      expect(plain.text).not.toContain(SECRET)
      expect((await get('feed', ALL, { accept })).text).toContain(SECRET)
    }
  })

  it.each(['bytes', 'stream', 'fetched'])(
    'prevents the response of /%s, from which no field can be removed',
    async (path) => {
      for (const token of [null, HR]) {
        const { status, text } = await get(path, token)
        expect(status).toBe(500)
        expect(text).not.toContain(SECRET)
      }
      expect(inspect(app.logs.at(-1))).toContain('fields cannot be omitted')
    },
  )

  it('is not included in the length of a HEAD response', async () => {
    const head = await app.request().head('/staff/ana').expect(200)
    const { response } = await get('ana', null)
    expect(head.headers['content-length']).toBe(response.headers['content-length'])
  })

  it('does not depend on earlier callers', async () => {
    for (const token of [ALL, null, PAYROLL, 'none', ALL, HR]) {
      const { body } = await get('ana', token)
      const expected = { [ALL]: ANA, [PAYROLL]: WITH_PAY, [HR]: WITH_HOME }[token ?? ''] ?? PLAIN
      expect(body.data).toEqual(expected)
    }
    const both = await Promise.all([ALL, null, ALL, null].map((token) => get('ana', token)))
    expect(both.map(({ body }) => body.data)).toEqual([ANA, PLAIN, ANA, PLAIN])
  })
})
