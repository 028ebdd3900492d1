import { once } from 'node:events'
import { Controller, defineControllers, Get, type RequestHandler, type Response, Sse } from 'blazon'
import { describe, expect, it } from 'vitest'
import { gate } from '../gate.js'
import { turns } from '../turns.js'
import { Item, script, start, state, until, useStreams } from './streams-app.js'

useStreams()

const LATE = 'A stream failed after its response had ended'

/** An iterable that is not a generator, and how often it was ended. */
const own = { next: (): unknown => undefined, end: (): unknown => undefined, ends: 0 }

@Controller()
class OwnController {
  @Get('own') @Sse(Item) items() {
    const iterator = {
      next: () => own.next(),
      return() {
        own.ends++
        return own.end()
      },
    }
    return { [Symbol.asyncIterator]: () => iterator } as never
  }

  /** Sends another response before it returns the iterable, or also waits for the end of this response. */
  @Get('sent') @Sse(Item) sent(_req: unknown, res: Response) {
    res.json({ sent: true })
    return this.items()
  }

  @Get('closed') @Sse(Item) async closed(_req: unknown, res: Response) {
    res.json({ sent: true })
    await once(res, 'close')
    return this.items()
  }
}

const controllers = defineControllers(OwnController)

/** Begins a stream, and disconnects after its first item. */
async function leave(path: string, options = {}) {
  const app = await start({ contract: 'off', ...options })
  const response = await app.fetch(path)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await until(reader, '"n":1')
  await reader.cancel()
}

describe('an error of a stream whose client has disconnected', () => {
  it('is logged if the generator throws it instead of its next item', async () => {
    const more = gate()
    script(async function* () {
      yield { n: 1 }
      await more.opened
      throw new Error('late')
    })
    await leave('/streams/events')
    await turns()
    more.open()
    await expect.poll(() => state.errors).toHaveLength(1)
    expect(state.errors).toMatchObject([{ err: { message: 'late' }, status: 500, message: LATE }])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('late'))],
    [
      'throws',
      () => {
        throw new Error('late')
      },
    ],
  ])('is logged if the end of its iterable %s', async (_, end) => {
    let asked = 0
    const never = new Promise(() => {})
    Object.assign(own, {
      end,
      next: () => (asked++ === 0 ? Promise.resolve({ done: false, value: { n: 1 } }) : never),
    })
    await leave('/own', { controllers })
    await expect.poll(() => state.errors).toHaveLength(1)
    expect(state.errors).toMatchObject([{ err: { message: 'late' }, status: 500, message: LATE }])
  })
})

it('an iterable that has failed by itself is not ended again', async () => {
  let asked = 0
  Object.assign(own, {
    ends: 0,
    next: () =>
      asked++ === 0
        ? Promise.resolve({ done: false, value: { n: 1 } })
        : Promise.reject(new Error('broken')),
  })
  const app = await start({ contract: 'off', controllers })
  expect(await (await app.fetch('/own')).text()).toContain('event: error')
  expect(own.ends).toBe(0)
})

it.each(['/sent', '/closed'])(
  'an iterable is ended if its handler has sent another response: %s',
  async (path) => {
    const ended = gate()
    Object.assign(own, { ends: 0, end: ended.open, next: () => new Promise(() => {}) })
    const app = await start({ contract: 'off', controllers })
    expect(await (await app.fetch(path)).json()).toEqual({ sent: true })
    await ended.opened
    await turns()
    expect([own.ends, state.errors]).toEqual([1, []])
  },
)

it('a stream has the status 200, even if a middleware has set another one', async () => {
  script(async function* () {
    yield { n: 1 }
  })
  const status: RequestHandler = (_req, res, next) => next(void res.status(202))
  const app = await start({ contract: 'off', middlewares: [status] })
  const response = await app.fetch('/streams/events')
  expect([response.status, (await response.text()).includes('"n":1')]).toEqual([200, true])
})

it('a stream sends no comment while its items are less than half an interval apart', async () => {
  const gates = [gate(), gate()]
  script(async function* () {
    yield { n: 1 }
    for (const [index, { opened }] of gates.entries()) {
      await opened
      yield { n: index + 2 }
    }
  })
  const app = await start()
  const response = await app.fetch('/streams/events')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = await until(reader, '"n":1')
  for (const [index, { open }] of gates.entries()) {
    await app.clock.advance('7500ms')
    open()
    text += await until(reader, `"n":${index + 2}`)
  }
  await app.clock.advance(0)
  expect(text).not.toMatch(/^:$/m)
  await reader.cancel()
})

it('a stream still sends comments after another stream has ended', async () => {
  script(async function* ({ signal }) {
    yield { n: 1 }
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  const app = await start()
  const [first, second] = await Promise.all(
    [1, 2].map(async () => {
      const { body } = await app.fetch('/streams/events')
      const reader = (body as ReadableStream<Uint8Array>).getReader()
      await until(reader, '"n":1')
      return reader
    }),
  )
  await first?.cancel()
  await expect.poll(() => state.log).toEqual(['finally'])
  await app.clock.advance('1m')
  expect(await until(second as NonNullable<typeof second>, ':\n\n')).toContain(':\n\n')
  await second?.cancel()
})
