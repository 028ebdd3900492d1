import { PassThrough, Readable } from 'node:stream'
import type { EnvelopeChoice, EnvelopeFormat, ErrorRequestHandler } from 'blazon'
import { describe, expect, it } from 'vitest'
import { errors, handler, start } from './values-app.js'

const bytes = () => new TextEncoder().encode('some bytes')

const STREAMS: [string, () => unknown][] = [
  ['a stream of Node', () => Readable.from([Buffer.from('some '), 'bytes'])],
  ['a web stream', () => new Blob(['some bytes']).stream()],
  ['a Blob', () => new Blob(['some bytes'])],
  ['a Response', () => new Response(bytes())],
]
const WHOLE: [string, () => unknown][] = [
  ['a Buffer', () => Buffer.from('some bytes')],
  ['a Uint8Array', bytes],
  ['an ArrayBuffer', () => bytes().buffer],
  ['a part of a buffer', () => viewOf()],
]

function viewOf(): DataView {
  const { buffer } = new TextEncoder().encode('[some bytes]')
  return new DataView(buffer, 1, 10)
}

function lockedStream(): ReadableStream {
  const stream = new ReadableStream()
  stream.getReader()
  return stream
}

class Unreadable {
  get pipe(): unknown {
    throw new Error('This value cannot be read')
  }
}

describe('a returned value that is not plain data', () => {
  it.each([...STREAMS, ...WHOLE])(
    'is sent unchanged and without the envelope: %s',
    async (_, value) => {
      const app = await start()
      handler.make = value
      for (const path of ['/values', '/values/later', '/values/raw']) {
        const response = await app.fetch(path)
        expect([response.status, await response.text()]).toEqual([200, 'some bytes'])
      }
    },
  )

  it.each([...STREAMS, ...WHOLE])(
    'has the type application/octet-stream unless its route defines another type: %s',
    async (_, value) => {
      const app = await start()
      handler.make = value
      const typeOf = async (path: string) => (await app.fetch(path)).headers.get('content-type')
      expect(await typeOf('/values')).toBe('application/octet-stream')
      expect(await typeOf('/values/events')).toBe('text/event-stream')
      expect(await typeOf('/values/csv')).toMatch(/^text\/csv/)
    },
  )

  it('is sent with its own content type and length if it is a Blob', async () => {
    const app = await start()
    handler.make = () => new Blob(['<p>'], { type: 'text/html' })
    const { headers } = await app.fetch('/values')
    expect([headers.get('content-type'), headers.get('content-length')]).toEqual(['text/html', '3'])
  })

  it('is sent with the status of @HttpCode', async () => {
    const app = await start()
    handler.make = () => Readable.from(['x'])
    expect((await app.fetch('/values/made')).status).toBe(201)
  })

  it('is not sent for a HEAD request, and is destroyed if it is a stream', async () => {
    const app = await start()
    const stream = new PassThrough()
    handler.make = () => stream
    const { status, headers } = await app.fetch('/values', { method: 'HEAD' })
    expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect(stream.destroyed).toBe(true)
  })

  it('is destroyed if it is a stream and the response was already sent', async () => {
    const app = await start()
    const stream = new PassThrough()
    handler.make = () => stream
    expect(await (await app.fetch('/values/both')).json()).toEqual({ sent: true })
    expect(stream.destroyed).toBe(true)
  })

  it('is sent only once if the handler has also piped it into the response', async () => {
    const app = await start()
    handler.make = () => Readable.from(['some ', 'bytes'])
    expect(await (await app.fetch('/values/piped')).text()).toBe('some bytes')
  })

  it('is not sent a second time if the handler has begun to send it', async () => {
    const app = await start()
    const stream = new PassThrough()
    handler.make = () => stream
    const response = await app.fetch('/values/begun')
    await expect.poll(() => stream.listenerCount('data')).toBe(1)
    stream.end('bytes')
    expect(await response.text()).toBe('some bytes')
    await expect.poll(() => stream.destroyed).toBe(true)
  })

  it.each([
    ['a web stream that other code reads', lockedStream],
    ['a value that throws when it is read', () => new Unreadable()],
  ])('does not interrupt the response that the handler sends: %s', async (_, value) => {
    const app = await start()
    handler.make = value
    expect(await (await app.fetch('/values/both-parts')).text()).toBe('some bytes')
    expect(errors).toEqual([])
  })

  it.each([
    ['a web stream that other code reads', lockedStream],
    ['a value that throws when it is read', () => new Unreadable()],
  ])(
    'does not crash the process if it is returned after the handler timeout: %s',
    async (_, value) => {
      const pass: ErrorRequestHandler = (error, _req, _res, next) => void next(error)
      const app = await start({ timeouts: { handler: '5s' }, middlewares: [pass] })
      handler.make = value
      const response = app.fetch('/values/aborted')
      await app.clock.advance('6s')
      expect((await response).status).toBe(503)
    },
  )

  it.each(STREAMS)(
    'results in a 500 response without its internals if this.ok() receives it: %s',
    async (_, value) => {
      const app = await start()
      handler.make = value
      const response = await app.fetch('/values/ok')
      expect([response.status, await response.text()]).toEqual([
        500,
        expect.not.stringMatching(/readable|stream|"data"/),
      ])
      expect(errors.map(({ err }) => err.message).join()).toContain('return it from the handler')
    },
  )

  it('is sent even if it is a paused stream', async () => {
    const app = await start()
    handler.make = () => Readable.from(['some ', 'bytes']).pause()
    expect(await (await app.fetch('/values')).text()).toBe('some bytes')
  })

  it.each([...STREAMS, ['an empty Response', () => new Response(null)] as const])(
    'is not cached: %s',
    async (_, value) => {
      const app = await start()
      handler.make = value
      for (let i = 0; i < 2; i++) await (await app.fetch('/values/cached')).text()
      expect(handler.calls).toBe(2)
    },
  )
})

const inside: EnvelopeFormat = {
  success: (data) => ({ inside: data }),
  schema: (data) => ({ type: 'object', properties: { inside: data } }),
}
const ENVELOPES: [string, EnvelopeChoice][] = [
  ['none', false],
  ['a custom one', inside],
  ['a custom one with a media type', { ...inside, mediaType: 'application/vnd.own+json' }],
]

describe.each(ENVELOPES)(
  'a returned value that is not plain data, with the envelope: %s',
  (_, envelope) => {
    it.each([...STREAMS, ...WHOLE])(
      'is sent unchanged, with its documented content type: %s',
      async (__, value) => {
        const app = await start({ envelope, responses: 'strip' })
        handler.make = value
        const sent = async (path: string) => {
          const response = await app.fetch(path)
          return [await response.text(), response.headers.get('content-type')]
        }
        const octets = ['some bytes', 'application/octet-stream']
        expect(await sent('/values')).toEqual(octets)
        expect(await sent('/values/later')).toEqual(octets)
        expect(await sent('/values/described')).toEqual(octets)
        expect(await sent('/values/raw')).toEqual(['some bytes', 'application/json'])
        expect(await sent('/values/events')).toEqual(['some bytes', 'text/event-stream'])
        expect(await sent('/values/csv')).toEqual([
          'some bytes',
          expect.stringMatching(/^text\/csv/),
        ])
      },
    )

    it('keeps the content type of a Blob, and the status and body of a Response', async () => {
      const app = await start({ envelope })
      handler.make = () => new Blob(['<p>'], { type: 'text/html' })
      for (const path of ['/values', '/values/described', '/values/raw']) {
        expect((await app.fetch(path)).headers.get('content-type')).toBe('text/html')
      }
      handler.make = () => Response.json({ teapot: true }, { status: 418 })
      const response = await app.fetch('/values')
      expect([response.status, await response.json()]).toEqual([418, { teapot: true }])
    })

    it('results in a 500 response if it is a Map, and is sent if it has toJSON', async () => {
      const app = await start({ envelope })
      handler.make = () => new Map([['secret', 1]])
      expect((await app.fetch('/values')).status).toBe(500)
      expect(errors[0]?.err.message).toMatch(/returned a Map/)
      handler.make = () => new URL('http://example.com/')
      expect(await (await app.fetch('/values')).text()).toContain('"http://example.com/"')
    })
  },
)

it('the content type that a handler sets is kept unless `contentType` documents another type', async () => {
  const app = await start()
  handler.make = () => Buffer.from('png')
  const typeOf = async (path: string) => (await app.fetch(path)).headers.get('content-type')
  expect(await typeOf('/values/image')).toBe('image/png')
  expect(await typeOf('/values/no-image')).toMatch(/^text\/csv/)
})
