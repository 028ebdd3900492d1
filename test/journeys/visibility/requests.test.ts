import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL, HR, PAYROLL, staffApp } from './staff-app.js'

let app: TestApp
beforeAll(async () => {
  app = await staffApp()
})
afterAll(() => app.close())

function as(token: string | null) {
  const caller = token === null ? app : app.with({ authorization: `Bearer ${token}` })
  return caller.request()
}

function patch(token: string | null, text: string) {
  return as(token).patch('/staff/ana').set('content-type', 'application/json').send(text)
}

const MESSAGE = 'must not be sent by this caller'

describe('a request to a route whose schema has hidden fields', () => {
  it.each<[string, string | null, string, string[]]>([
    ['a hidden field', null, '{"salary":1}', ['salary']],
    ['a hidden field of a wrong type', null, '{"salary":{"a":[]}}', ['salary']],
    ['a hidden field that is null', null, '{"salary":null}', ['salary']],
    ['a nested hidden field', PAYROLL, '{"home":{"street":"x"}}', ['home.street']],
    ['a hidden field twice', null, '{"salary":1,"name":"a","salary":2}', ['salary']],
    ['a hidden field with an escaped name', null, '{"s\\u0061lary":1}', ['salary']],
    [
      'several hidden fields',
      null,
      '{"home":{"street":"x"},"salary":1}',
      ['home.street', 'salary'],
    ],
    [
      'a hidden field of an item',
      null,
      '{"events":[{"kind":"a","salary":1}]}',
      ['events.0.salary'],
    ],
    [
      'a hidden field of an item without a tag',
      null,
      '{"events":[{"salary":1}]}',
      ['events.0.salary'],
    ],
    [
      'a hidden field of an item with a wrong tag',
      null,
      '{"events":[{"kind":"c","salary":1}]}',
      ['events.0.salary'],
    ],
    ['a hidden property of a record', null, '{"extra":{"my mail":1}}', ['extra.*']],
    [
      'a hidden property with the name "constructor"',
      null,
      '{"extra":{"constructor":1}}',
      ['extra.*'],
    ],
    ['a hidden field in an invalid body', null, '{"salary":1,"name":7,"home":"x"}', ['salary']],
  ])(
    'is refused with 403 before any validation if it contains %s',
    async (_, token, text, paths) => {
      const { status, body } = await patch(token, text)
      expect(status).toBe(403)
      expect(body).toMatchObject({ code: 'FIELD_FORBIDDEN', status: 403 })
      expect(body.errors).toEqual(paths.map((path) => ({ in: 'body', path, message: MESSAGE })))
    },
  )

  it.each<[string, string | null, string, unknown]>([
    ['the audience of its hidden field', PAYROLL, '{"salary":1}', { salary: 1 }],
    ['the audience of all fields', ALL, '{"home":{"street":"x"}}', { home: { street: 'x' } }],
    [
      'any caller if another alternative shows the field',
      null,
      '{"events":[{"kind":"b","salary":1}]}',
      {
        events: [{ kind: 'b', salary: 1 }],
      },
    ],
    ['any caller if the schema lacks the name', null, '{"wage":1,"name":"a"}', { name: 'a' }],
    ['any caller if the schema lacks the place', null, '{"home":{"salary":1}}', { home: {} }],
    ['any caller without a hidden field', HR, '{"name":"a"}', { name: 'a' }],
  ])('is accepted from %s', async (_, token, text, taken) => {
    const { status, body } = await patch(token, text)
    expect(status).toBe(200)
    expect(JSON.parse(body.data.taken)).toEqual(taken)
  })

  it('is validated only for the audience of its hidden fields, so that a refusal reveals no type', async () => {
    expect((await patch(PAYROLL, '{"salary":"x"}')).status).toBe(400)
    const [right, wrong] = [await patch(null, '{"salary":1}'), await patch(null, '{"salary":"x"}')]
    expect({ ...right.body, requestId: '' }).toEqual({ ...wrong.body, requestId: '' })
  })

  it('cannot use __proto__, which no body may contain', async () => {
    for (const text of ['{"__proto__":{"salary":1}}', '{"extra":{"__proto__":1}}']) {
      expect((await patch(null, text)).status).toBe(400)
    }
    expect((await patch(null, '{"constructor":{"salary":1},"name":"a"}')).status).toBe(200)
  })

  it('results in a 403 response when a hidden field is used in a query', async () => {
    const refused = await as(null).get('/staff/search?q=a&minSalary=1').expect(403)
    expect(refused.body.errors).toEqual([{ in: 'query', path: 'minSalary', message: MESSAGE }])
    await as(null).get('/staff/search?%6DinSalary=1').expect(403)
    await as(null).get('/staff/search?minSalary=1&minSalary=2').expect(403)
    await as(null).get('/staff/search?q=a').expect(200)
    const allowed = await as(PAYROLL).get('/staff/search?minSalary=1').expect(200)
    expect(JSON.parse(allowed.body.data.taken)).toEqual({ minSalary: '1' })
  })

  it('is checked with the schema of the body type that the request declares', async () => {
    await as(null).post('/staff/forms').send({ salary: 1 }).expect(403)
    await as(null).post('/staff/forms').type('form').send('salary=1').expect(200)
    await as(null).post('/staff/forms').type('text/plain').send('salary=1').expect(415)
  })

  it('is refused with at most twenty fields in `errors`', async () => {
    const events = Array.from({ length: 500 }, () => ({ kind: 'a', salary: 1 }))
    const { body } = await as(null).patch('/staff/ana').send({ events }).expect(403)
    expect(body.errors).toHaveLength(20)
  })
})
