import type { AddressInfo } from 'node:net'
import { App, type AppOptions, type EnvelopeFormat, type Failure } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'
import { partsOf, rawExchange } from './raw-exchange.js'
import { base, errors, seen } from './things-app.js'

let app: TestApp
const open: { close(): Promise<void> }[] = []
beforeEach(() => {
  seen.length = 0
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()))
})

async function listening(options: Partial<AppOptions> = {}) {
  const served = new App({ ...base, logger: false, ...options })
  open.push(served)
  const { port }: AddressInfo = await served.listen(0, '127.0.0.1')
  return port
}

const faults: [string, () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('of the format')
    },
  ],
  ['returns undefined', () => undefined],
  ['returns a promise', async () => ({})],
  ['returns a rejected promise', () => Promise.reject(new Error('of the format'))],
  ['returns a value that JSON cannot represent', () => 1n],
]

describe('an error format that fails', () => {
  it.each(faults)(
    'is replaced by the default format, and causes a log line, if it %s',
    async (_, format) => {
      app = await TestApp.create({ ...base, contract: 'off', errors: { ...errors, format } })
      open.push(app)
      const { status, body: sent } = await app.request().get('/things/conflict')
      expect(status).toBe(409)
      expect(sent).toEqual({
        statusCode: 'error',
        status: 409,
        message: 'It is taken',
        code: 'TAKEN',
        requestId: 'r-1',
      })
      const [line] = app.logs.filter(({ level }) => level === 'error')
      expect(JSON.stringify(line)).toContain('The error format failed')
      const problem = app
        .request()
        .get('/things/conflict')
        .set('Accept', 'application/problem+json')
      expect((await problem).body).toMatchObject({ title: 'Conflict', code: 'TAKEN' })
    },
  )

  it.each(faults)(
    'is also replaced for errors of the Node.js parser if it %s',
    async (_, format) => {
      const lines: object[] = []
      const logger = { info() {}, warn() {}, error: (facts: object) => void lines.push(facts) }
      const port = await listening({ errors: { ...errors, format }, logger })
      const { body: sent } = partsOf(await rawExchange(port, 'NONSENSE\r\n\r\n'))
      expect(sent).toMatchObject({ statusCode: 'error', status: 400 })
      expect(lines).toMatchObject([{ err: expect.any(Error), status: 400 }])
    },
  )

  it.each(faults)(
    'is passed to onError, also for errors of the Node.js parser, if it %s',
    async (_, format) => {
      const heard: [unknown, object][] = []
      const logger = {
        info() {},
        warn() {},
        error() {
          throw new Error('The disk is full')
        },
      }
      const onError = (...all: [unknown, object]) => void heard.push(all)
      const port = await listening({ errors: { ...errors, format }, logger, onError })
      const { body: sent } = partsOf(await rawExchange(port, 'NONSENSE\r\n\r\n'))
      expect(sent).toMatchObject({ statusCode: 'error', status: 400 })
      const message = 'The error format failed; the client received the default format'
      expect(heard).toEqual([[expect.any(Error), { message, status: 400 }]])
    },
  )

  it('cannot change the list of field errors in the default format', async () => {
    const format = ({ errors: fields }: Failure) => {
      ;(fields as unknown[]).push('more')
      return {}
    }
    app = await TestApp.create({ ...base, contract: 'off', errors: { ...errors, format } })
    open.push(app)
    const { status, body: sent } = await app.request().post('/things').send({ size: 1 })
    expect([status, sent.statusCode, sent.errors.length]).toEqual([422, 'error', 1])
  })
})

const plain: EnvelopeFormat = {
  success: (data) => ({ plain: data }),
  schema: (data) => ({ type: 'object', properties: { plain: data } }),
  error: {
    format: ({ code }) => ({ plainError: code }),
    schema: z.object({ plainError: z.string() }),
  },
}

describe('the validation of the `errors` option', () => {
  const { format, schema } = errors

  it.each<[string, unknown, RegExp]>([
    ['an unknown string', 'problems', /'problems' is not an error format/],
    ['a list', [], /not an error format/],
    ['null', null, /not an error format/],
    ['a format that is not a function', { format: 'own' }, /'own' is not a format/],
    ['a format without schema', { format }, /no `schema`/],
    ['a schema without format', { schema }, /`format` is not a function/],
    [
      'a media type with problem details',
      { format: 'problem', mediaType: 'a/json' },
      /`format` is not a function/,
    ],
    ['a media type that is not JSON', { format, schema, mediaType: 'text/html' }, /not a JSON/],
    ['a misspelled name', { formatt: format }, /no effect/],
    [
      'a status that is a string',
      { status: { validation: '422' } },
      /'422' is not one of the statuses/,
    ],
    ['a server error status', { status: { validation: 500 } }, /500 is not one of the statuses/],
    [
      'a status with another meaning',
      { status: { validation: 401 } },
      /401 is not one of the statuses/,
    ],
    ['a status that no client expects', { status: { validation: 418 } }, /400, 406, 409, 412, 422/],
    ['a status that is only reserved', { status: { validation: 499 } }, /400, 406, 409, 412, 422/],
    ['a status for another kind of error', { status: { body: 422 } }, /no effect/],
    ['a status that is not an object', { status: 422 }, /not an object/],
    ['a Zod shape instead of a schema', { format, schema: { code: z.string() } }, /JSON Schema/],
  ])('causes a boot error for %s', async (_, wrong, cause) => {
    const problems = await bootProblems({ errors: wrong as never })
    expect(problems.map((each) => each.cause).join('\n')).toMatch(cause)
  })

  it.each([400, 406, 409, 412, 422])('accepts the validation status %i', async (validation) => {
    expect(await bootWarnings({ errors: { status: { validation } } })).toEqual([])
  })

  it('causes a boot error if the envelope also defines errors', async () => {
    const problems = await bootProblems({ envelope: plain, errors })
    expect(problems).toMatchObject([{ subject: 'envelope.error' }])
  })
})
