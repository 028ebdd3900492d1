import {
  App,
  Controller,
  defineControllers,
  Get,
  JsonLines,
  lastEventId,
  NotFoundError,
  type OpenApiVersion,
  type Request,
  Sse,
  sseEvent,
} from 'blazon'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../src/cli/client/emit-client.js'
import { compareDocuments } from '../../src/cli/diff/compare-documents.js'
import { importClient } from './import-client.js'

const Item = z.object({ n: z.number() }).meta({ id: 'Item' })
const LastSeen = lastEventId(z.coerce.number().int().optional())

/** What the tests look at. */
const seen: { after: (number | undefined)[]; ended: number; cuts: number } = {
  after: [],
  ended: 0,
  cuts: 0,
}

@Controller('feeds')
class FeedsController {
  /** Is cut after the items 2 and 4. */
  @LastSeen() @Get('resumed') @Sse(Item) async *resumed(req: Request) {
    const after = LastSeen.of(req)
    seen.after.push(after)
    for (let n = (after ?? 0) + 1; n <= 5; n++) {
      yield sseEvent({ n }, { id: n, retry: '1ms' })
      if (n % 2 === 0 && n > (after ?? 0)) {
        seen.cuts++
        // The items are sent together, after this turn.
        await new Promise(setImmediate)
        req.res?.socket?.destroySoon()
        return
      }
    }
  }

  @Get('failing') @Sse(Item) async *failing() {
    yield { n: 1 }
    throw new NotFoundError('Gone')
  }

  @Get('refused') @Sse(Item) async *refused() {
    if (seen.cuts === 0) throw new NotFoundError('No feed')
    yield { n: 1 }
  }

  @Get('lines') @JsonLines(Item) async *lines() {
    yield* [{ n: 1 }, { n: 2 }]
  }

  @Get('both') @JsonLines(Item) @Sse(Item) async *both() {
    yield { n: 1 }
  }

  @Get('endless') @Sse(Item) async *endless() {
    try {
      for (let n = 1; ; n++) yield { n }
    } finally {
      seen.ended++
    }
  }

  @Get('broken') @JsonLines(Item) async *broken() {
    yield { n: 1 }
    throw new Error('broken')
  }
}

const controllers = defineControllers(FeedsController)
const open: App[] = []
afterEach(async () => {
  Object.assign(seen, { after: [], ended: 0, cuts: 0 })
  for (const app of open.splice(0)) await app.close()
})

async function clientOf(version: OpenApiVersion = '3.0') {
  const swagger = { openapi: version }
  const app = new App({ controllers, logger: false, swagger })
  open.push(app)
  const { port } = await app.listen(0, '127.0.0.1')
  const text = emitClient(app.document)
  const { createClient } = await importClient(`streams-${version}`, text)
  const { feeds } = createClient({ baseUrl: `http://127.0.0.1:${port}` })
  return { text, app, call: async (method: string) => feeds?.[method]?.() }
}

async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = []
  for await (const item of items) list.push(item)
  return list
}

describe('a generated client for a stream', () => {
  it.each(['3.0', '3.1', '3.2'] as const)(
    'iterates over the items of the stream, from an OpenAPI %s document',
    async (version) => {
      const { call, text } = await clientOf(version)
      expect(text).toContain('Success<200, Stream<Item>>')
      expect(await all((await call('lines')).data)).toEqual([{ n: 1 }, { n: 2 }])
      expect(await all((await call('both')).data)).toEqual([{ n: 1 }])
    },
  )

  it('continues after the last event if the connection breaks', async () => {
    const { call } = await clientOf()
    const { data } = await call('resumed')
    expect(await all(data)).toEqual([1, 2, 3, 4, 5].map((n) => ({ n })))
    expect(seen.after).toEqual([undefined, 2, 4])
    expect(data.lastEventId).toBe('5')
  })

  it('throws the error that ended the stream', async () => {
    const { call } = await clientOf()
    const items: unknown[] = []
    const read = async () => {
      for await (const item of (await call('failing')).data) items.push(item)
    }
    await expect(read()).rejects.toMatchObject({
      name: 'StreamError',
      message: 'Gone',
      error: { status: 404, code: 'NOT_FOUND' },
    })
    expect(items).toEqual([{ n: 1 }])
  })

  it('returns an error before the first item like any other error', async () => {
    const { call } = await clientOf()
    expect(await call('refused')).toMatchObject({ ok: false, status: 404 })
  })

  it('throws if the connection breaks during a stream of JSON lines', async () => {
    const { call } = await clientOf()
    const { data } = await call('broken')
    await expect(all(data)).rejects.toThrow()
  })

  it('closes the connection when the loop over the items ends', async () => {
    const { call } = await clientOf()
    for await (const { n } of (await call('endless')).data) if (n === 3) break
    await expect.poll(() => seen.ended).toBe(1)
  })
})

describe('a generated client that receives a stream in arbitrary pieces', () => {
  /** Bytes, cut at the places that a test has chosen. */
  const anyCuts = fc.infiniteStream(fc.nat({ max: 12 }))
  function inPieces(text: string, type: string, cuts: Iterator<number>): Response {
    let rest = Buffer.from(text)
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const length = Math.min(1 + (cuts.next().value as number), rest.length)
      if (length > 0) controller.enqueue(rest.subarray(0, length))
      rest = rest.subarray(length)
      if (rest.length === 0) controller.close()
    }
    return new Response(new ReadableStream({ pull }), { headers: { 'Content-Type': type } })
  }

  let read: (response: Response) => Promise<AsyncIterable<unknown> & { lastEventId?: string }>
  beforeAll(async () => {
    const app = await App.create({ controllers, logger: false })
    const { createClient } = await importClient('stream-pieces', emitClient(app.document))
    await app.close()
    read = async (response) => {
      const { feeds } = createClient({ baseUrl: 'http://a', fetch: async () => response })
      const { data } = (await feeds?.['both']?.()) ?? {}
      return data
    }
  })

  const anyValue = fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' })
  const anyLineEnd = fc.constantFrom('\n', '\r', '\r\n')

  it('reads events with every kind of line ending, and with comments, ids and unknown fields', async () => {
    const anyField = fc.constantFrom(
      ': comment',
      ':',
      'event: tick',
      'event',
      'other: x',
      'retry: 5',
    )
    const anyId = fc.constantFrom('id: 1', 'id:ü', 'id', 'id: a\0b')
    const anyEvent = fc.record({
      value: fc.option(anyValue, { nil: undefined }),
      before: fc.array(fc.oneof(anyField, anyId), { maxLength: 3 }),
      space: fc.constantFrom('', ' '),
    })
    const all200 = fc.asyncProperty(
      fc.array(anyEvent, { maxLength: 6 }),
      fc.infiniteStream(anyLineEnd),
      anyCuts,
      async (events, ends, cuts) => {
        const lines = events.flatMap(({ value, before, space }) => {
          const text = value === undefined ? [] : JSON.stringify(value, null, 1).split('\n')
          return [...before, ...text.map((line) => `data:${space}${line}`), '']
        })
        const sent = ['\ufeff: first', ...lines, 'event: end', 'data', '']
        let last = ''
        const text = sent.map((line) => {
          const end = ends.next().value as string
          // CR and an empty line with LF would be one line end.
          last = line === '' && last === '\r' ? '\r' : end
          return line + last
        })
        const ids = lines.filter((line) => line.startsWith('id') && !line.includes('\0'))
        const stream = await read(inPieces(text.join(''), 'text/event-stream', cuts))
        const values = events.flatMap(({ value }) => (value === undefined ? [] : [value]))
        expect(JSON.stringify(await all(stream))).toBe(JSON.stringify(values))
        // An empty id takes back the one before (HTML Living Standard, 9.2.6).
        expect(stream.lastEventId).toBe(ids.at(-1)?.replace(/^id:? ?/, '') || undefined)
      },
    )
    await fc.assert(all200, { numRuns: 200 })
  })

  it('reads JSON lines with and without a line ending after the last line', async () => {
    const values = fc.array(anyValue, { maxLength: 6 })
    const all100 = fc.asyncProperty(
      values,
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      anyCuts,
      async (items, end, isOpen, cuts) => {
        const text = items.map((item) => JSON.stringify(item)).join(end) + (isOpen ? '' : end)
        const stream = await read(inPieces(text, 'application/jsonl', cuts))
        expect(JSON.stringify(await all(stream))).toBe(JSON.stringify(items))
      },
    )
    await fc.assert(all100, { numRuns: 100 })
  })
})

describe('the comparison of documents', () => {
  it.each(['3.0', '3.2'] as const)(
    'reports a field that was removed from stream items (%s)',
    (openapi) => {
      const base = documentOf(z.object({ n: z.number(), at: z.string() }), openapi)
      const changes = compareDocuments(base, documentOf(z.object({ n: z.number() }), '3.0'))
      expect(changes.filter(({ isBreaking }) => isBreaking)).toHaveLength(1)
      expect(changes[0]?.location).toContain('at')
    },
  )

  it('reports no change between equal documents in different versions of OpenAPI', () => {
    const changes = compareDocuments(documentOf(Item, '3.0'), documentOf(Item, '3.2'))
    expect(changes).toEqual([])
  })
})

function documentOf(item: z.ZodType<object>, openapi: OpenApiVersion) {
  @Controller('feed')
  class FeedController {
    @Get() @Sse(item) async *feed() {
      yield {}
    }
  }
  const controllers = defineControllers(FeedController)
  return new App({ controllers, swagger: { openapi } }).document
}
