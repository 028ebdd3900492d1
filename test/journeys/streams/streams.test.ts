import { App, NotFoundError, sseComment, sseEvent } from 'blazon'
import { describe, expect, it } from 'vitest'
import { controllers, script, start, state, until, useStreams } from './streams-app.js'

useStreams()

async function* three() {
  for (const n of [1, 2, 3]) yield { n }
}

describe('a handler that is an async generator', () => {
  it('sends each value as an event, and then an end event', async () => {
    script(three)
    const response = await (await start()).fetch('/streams/events')
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    expect(await response.text()).toBe(
      'data: {"n":1}\n\ndata: {"n":2}\n\ndata: {"n":3}\n\nevent: end\ndata:\n\n',
    )
    expect(state.log).toEqual(['finally'])
  })

  it('sends each value as a line of JSON', async () => {
    script(three)
    const response = await (await start()).fetch('/streams/lines')
    expect(response.headers.get('content-type')).toBe('application/jsonl')
    expect(await response.text()).toBe('{"n":1}\n{"n":2}\n{"n":3}\n')
  })

  it('sends the same bytes through a real socket and through app.fetch', async () => {
    script(three)
    const app = await App.create({ controllers, logger: false })
    try {
      const { port } = await app.listen(0)
      const served = await fetch(`http://localhost:${port}/streams/events`)
      const fetched = await app.fetch(new Request('http://in-process/streams/events'))
      expect(await served.text()).toBe(await fetched.text())
    } finally {
      await app.close()
    }
  })

  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['application/jsonl', 'application/jsonl'],
    ['application/jsonl, text/event-stream;q=0.5', 'application/jsonl'],
    ['*/*', 'text/event-stream'],
  ])('selects one of two formats by the Accept header %s', async (accept, type) => {
    script(three)
    const response = await (await start()).fetch('/streams/both', { headers: { accept } })
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('vary')).toContain('Accept')
    await response.text()
  })

  it('refuses a client that accepts neither format before the handler runs', async () => {
    script(three)
    const app = await start()
    const response = await app.fetch('/streams/both', { headers: { accept: 'text/html' } })
    expect(response.status).toBe(406)
    expect(await response.json()).toMatchObject({ code: 'NOT_ACCEPTABLE' })
    expect(state.log).toEqual([])
  })

  it('responds to HEAD with headers only, and ends the generator', async () => {
    script(three)
    const response = await (await start()).fetch('/streams/events', { method: 'HEAD' })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe('')
    expect(state.log).toEqual(['finally'])
  })

  it('responds with an error response if it throws before its first item', async () => {
    // biome-ignore lint/correctness/useYield: it fails before it yields
    script(async function* () {
      throw new NotFoundError('No such feed')
    })
    const response = await (await start()).fetch('/streams/events')
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ message: 'No such feed' })
  })

  it('sends comments, and the id, type and retry time of an event', async () => {
    script(async function* () {
      yield sseComment('open')
      yield sseEvent({ n: 1 }, { id: 7, event: 'added', retry: '2s' })
    })
    const app = await start()
    expect(await (await app.fetch('/streams/events')).text()).toBe(
      ': open\n\nid: 7\nevent: added\nretry: 2000\ndata: {"n":1}\n\nevent: end\ndata:\n\n',
    )
    expect(await (await app.fetch('/streams/lines')).text()).toBe('{"n":1}\n')
  })

  it('sends the head with a comment before there is an item', async () => {
    let go = () => {}
    script(async function* () {
      yield sseComment()
      await new Promise<void>((resolve) => {
        go = resolve
      })
      yield { n: 1 }
    })
    const app = await start()
    for (const path of ['events', 'lines']) {
      const response = await app.fetch(`/streams/${path}`)
      expect(response.status).toBe(200)
      go()
      await response.text()
    }
  })

  it.each(['\n', '\r', '\r\n', '\u2028', '\0'])(
    'keeps %j in data inside of its event',
    async (end) => {
      const text = `a${end}data: b${end}${end}event: c`
      script(async function* () {
        yield { n: 1, text }
      })
      const body = await (await (await start({ contract: 'off' })).fetch('/streams/events')).text()
      const [data] = body.split('\n')
      expect(JSON.parse(String(data).slice('data: '.length))).toEqual({ n: 1, text })
      expect(body.split('\n\n')).toHaveLength(3)
    },
  )

  it.each(['\n', '\r', '\0'])('refuses %j in the id, in the type and in a comment', (end) => {
    expect(() => sseEvent(1, { id: `a${end}b` })).toThrow(TypeError)
    expect(() => sseEvent(1, { event: `a${end}b` })).toThrow(TypeError)
    expect(() => sseComment(`a${end}b`)).toThrow(TypeError)
  })

  it('can have events with the id 0 or an empty id, and a retry time of 0', async () => {
    script(async function* () {
      yield sseEvent({ n: 1 }, { id: 0, retry: 0 })
      // Clients forget the id of earlier events.
      yield sseEvent({ n: 2 }, { id: '' })
    })
    const body = await (await (await start()).fetch('/streams/events')).text()
    expect(body).toContain('id: 0\nretry: 0\ndata: {"n":1}\n\nid: \ndata: {"n":2}\n\n')
  })

  it('refuses event types that the framework reserves, and an invalid retry time', () => {
    expect(() => sseEvent(1, { event: 'end' })).toThrow(/reserved for the framework/)
    expect(() => sseEvent(1, { event: 'error' })).toThrow(/reserved for the framework/)
    expect(() => sseEvent(1, { retry: 'soon' })).toThrow(/not a duration/)
  })

  it('sends comments while there is no item', async () => {
    script(async function* (req) {
      yield { n: 1 }
      await new Promise((_, reject) => {
        req.signal.addEventListener('abort', () => reject(req.signal.reason))
      })
    })
    const app = await start()
    // The second one begins when no stream is open any more.
    for (const ended of [['finally'], ['finally', 'finally']]) {
      const response = await app.fetch('/streams/events')
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      await until(reader, '"n":1')
      await app.clock.advance('15s')
      expect(await until(reader, ':\n\n')).toBe(':\n\n')
      await app.clock.advance('15s')
      expect(await until(reader, ':\n\n')).toContain(':\n\n')
      await reader.cancel()
      await expect.poll(() => state.log).toEqual(ended)
    }
  })

  it('receives a signal that is not aborted if maxAge passes after its end', async () => {
    const signals: AbortSignal[] = []
    script(async function* ({ signal }) {
      signals.push(signal)
      yield { n: 1 }
    })
    const app = await start()
    expect(await (await app.fetch('/streams/aged')).text()).toContain('event: end')
    await app.clock.advance('1m')
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('reports an item that cannot be serialized as JSON as a stream error', async () => {
    script(async function* () {
      yield { n: 1 }
      yield new Map()
    })
    const body = await (await (await start()).fetch('/streams/events')).text()
    expect(body).toContain('event: error\ndata: {"statusCode":"error","status":500')
    expect(body).not.toContain('event: end')
    expect(state.errors).toHaveLength(1)
    expect(String(state.errors[0]?.err)).toContain('StreamsController.events: It yielded a Map')
    expect(state.log).toEqual(['finally'])
  })
})
