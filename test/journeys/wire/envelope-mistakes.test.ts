import { type AppOptions, Controller, Envelope, type EnvelopeFormat, Get } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'
import { calls, NotesController, own } from './notes-app.js'

let app: TestApp
afterEach(() => app.close())

async function start(options: Partial<AppOptions> = {}, controllers = [NotesController]) {
  calls.made = 0
  app = await TestApp.create({ controllers, contract: 'throw', ...options })
}
const get = async (path: string) => await app.request().get(path)
const schemaOf = (path: string, status = '200', type = 'application/json') => {
  const found = app.document.paths[path]?.get?.responses[status]
  return found && 'content' in found ? found.content?.[type]?.schema : found
}

const faults: [string, EnvelopeFormat['success']][] = [
  [
    'throws',
    () => {
      throw new Error('secret')
    },
  ],
  ['returns a promise', async () => ({})],
  ['returns a rejected promise', () => Promise.reject(new Error('secret'))],
  ['returns undefined', () => undefined],
  ['returns a function', () => () => {}],
  ['returns a value that JSON cannot represent', () => ({ big: 1n })],
]

describe('an envelope function that fails', () => {
  it.each(faults)('results in a logged 500 without details if it %s', async (_, success) => {
    await start({ envelope: { ...own, success } })
    for (const path of ['/notes', '/notes/ok']) {
      const { status, text } = await get(path)
      expect(status).toBe(500)
      expect(text).not.toContain('secret')
    }
    expect(app.logs.filter(({ level }) => level === 'error')).toHaveLength(2)
  })
})

describe('the media type of an envelope', () => {
  const vendor = { ...own, mediaType: 'application/vnd.notes+json' }

  it.each([{}, { etag: true }])(
    'is sent exactly as it is written, with the options %o',
    async (options) => {
      await start({ envelope: vendor, ...options })
      for (const path of ['/notes', '/notes/ok', '/notes/cached', '/notes/cached']) {
        const { headers, status } = await get(path)
        expect([status, headers['content-type']]).toEqual([200, 'application/vnd.notes+json'])
      }
      expect(schemaOf('/notes', '200', 'application/vnd.notes+json')).toMatchObject({
        required: ['ok', 'status', 'message', 'at'],
      })
      expect(app.contractReport()).toEqual([])
    },
  )

  it('does not prevent a 304 response to a client with the same ETag', async () => {
    await start({ envelope: vendor, etag: true })
    const { headers } = await get('/notes')
    const again = await app
      .request()
      .get('/notes')
      .set('If-None-Match', headers['etag'] ?? '')
    expect(again.status).toBe(304)
  })
})

describe('an invalid envelope', () => {
  // The value comes from JavaScript, so it has no type.
  const problemsOf = (envelope: unknown) => bootProblems({ envelope: envelope as never })

  it.each<[string, unknown, RegExp]>([
    ['a string', 'bare', /'bare' is not an envelope/],
    ['null', null, /null is not an envelope/],
    ['without success', { schema: own.schema }, /no `success` function/],
    ['without schema', { success: own.success }, /no `schema` function/],
    ['with a misspelled name', { ...own, sucess: 1 }, /no effect/],
    ['with a media type that is not JSON', { ...own, mediaType: 'text/plain' }, /not a JSON type/],
    [
      'with a media type of two lines',
      { ...own, mediaType: 'a/b+json\r\nX: 1' },
      /not a JSON type/,
    ],
    ['whose schema is a promise', { ...own, schema: async () => ({}) }, /returned a promise/],
    ['whose schema is a list', { ...own, schema: () => [] }, /returned/],
    [
      'whose schema throws',
      {
        ...own,
        schema: () => {
          throw new Error('no')
        },
      },
      /threw: Error: no/,
    ],
    [
      'with a keyword of a newer JSON Schema',
      { ...own, schema: () => ({ properties: { ok: { const: true } } }) },
      /`const`/,
    ],
    [
      'with a list of types',
      { ...own, schema: () => ({ type: ['object', 'null'] }) },
      /a list of types/,
    ],
    [
      'whose schema fails only for data with a schema',
      { ...own, schema: (data: object) => ('$ref' in data ? [data] : {}) },
      /returned/,
    ],
    ['with errors that have no format', { ...own, error: { schema: {} } }, /no `format` function/],
    ['with errors that have no schema', { ...own, error: { format: () => ({}) } }, /no `schema`/],
  ])('causes a boot error: %s', async (_, envelope, cause) => {
    await start()
    const problems = await problemsOf(envelope)
    expect(problems.map(({ code }) => code)).toContain('E_OPTION_INVALID')
    expect(problems.map((each) => each.cause).join('\n')).toMatch(cause)
    expect(problems.every(({ remedy }) => remedy.length > 0)).toBe(true)
  })

  it('is not one that has extensions in its schema', async () => {
    await start({
      envelope: { ...own, schema: (data) => ({ ...own.schema(data), 'x-format': 'notes' }) },
    })
    expect(schemaOf('/notes')).toMatchObject({ 'x-format': 'notes' })
  })

  it('does not end the process if the promise of its schema is rejected', async () => {
    await start()
    const rejections: unknown[] = []
    const note = (reason: unknown) => void rejections.push(reason)
    process.on('unhandledRejection', note)
    await problemsOf({ ...own, schema: () => Promise.reject(new Error('late')) })
    await new Promise(setImmediate)
    process.off('unhandledRejection', note)
    expect(rejections).toEqual([])
  })

  it('also causes a boot error in @Envelope', async () => {
    @Envelope('yes' as never)
    @Controller()
    class Wrong {
      @Envelope({} as never) @Get() get() {}
    }
    await start()
    const problems = await bootProblems({ controllers: [Wrong] })
    expect(problems.map(({ subject }) => subject)).toEqual([
      'Wrong @Envelope',
      'Wrong.get @Envelope',
      'Wrong.get @Envelope',
    ])
  })

  it('causes a boot error if @Envelope is repeated on a method', async () => {
    @Controller()
    class Twice {
      @Envelope(false) @Envelope(true) @Get() get() {}
    }
    await start()
    const problems = await bootProblems({ controllers: [Twice] })
    expect(problems.map(({ code }) => code)).toEqual(['E_DECORATOR_CONFLICT'])
  })
})
