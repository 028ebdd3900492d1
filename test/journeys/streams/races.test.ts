import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { gate } from '../gate.js'
import { turns } from '../turns.js'
import { script, start, state, useStreams } from './streams-app.js'

useStreams()

/**
 * The table of docs/streaming.md: in each phase of a stream, each event has one outcome. The
 * client is at a real socket.
 */
const FORMATS = [
  ['events', 'aged'],
  ['lines', 'aged-lines'],
] as const

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** More than the buffers of a connection hold. */
const LARGE = 'x'.repeat(1024 * 1024)

/** A generator that waits, and ends when the signal aborts. */
function waits(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
  })
}

type Phase = 'before' | 'between' | 'pressed' | 'end'

/** Reaches a phase, and then waits until the test lets the generator go on. */
function run(phase: Phase) {
  const reached = gate()
  const proceed = gate()
  const failing = { error: null as Error | null }
  script(async function* ({ signal }) {
    const wait = async () => {
      reached.open()
      await Promise.race([proceed.opened, waits(signal)])
      if (failing.error !== null) throw failing.error
    }
    if (phase === 'before') await wait()
    yield { n: 1 }
    if (phase === 'between') {
      await wait()
      yield { n: 2 }
    }
    if (phase === 'pressed') {
      reached.open()
      for (let n = 2; n < 40; n++) {
        if (failing.error !== null) throw failing.error
        yield { n, pad: LARGE }
      }
    }
    if (phase === 'end') await wait()
  })
  const fail = (error: Error) => {
    failing.error = error
    proceed.open()
  }
  return { reached: reached.opened, proceed: proceed.open, fail }
}

/** A client that reads only when the test does. */
async function client(port: number, path: string) {
  const req = request({ port, path: `/streams/${path}`, agent: false })
  req.on('error', () => {})
  req.end()
  closers.push(() => req.destroy())
  let body = ''
  let ended: 'whole' | 'cut' | undefined
  const response = once(req, 'response').then(([res]) => res as IncomingMessage)
  response.catch(() => {})
  const read = async () => {
    const res = await response
    res.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    res.on('error', () => {})
    if (!res.closed) await new Promise((resolve) => res.on('close', resolve))
    ended = res.complete ? 'whole' : 'cut'
    return { status: res.statusCode, body, ended }
  }
  return { req, response, read, leave: () => req.destroy() }
}

/** An application at a real socket whose clock the test moves. */
async function serve(path: string) {
  const app = await start({ contract: 'off', timeouts: { handler: '30s', close: '1s' } })
  const { port } = await app.listen(0)
  return { app, port, client: () => client(port, path) }
}

const isFinished = () => expect.poll(() => state.log).toEqual(['finally'])

describe.each(FORMATS)('a stream at /streams/%s', (path, aged) => {
  const isSse = path === 'events'

  describe('before the first item', () => {
    it('ends its generator when the client disconnects, and logs nothing', async () => {
      const { reached } = run('before')
      const one = await (await serve(path)).client()
      await reached
      one.leave()
      await isFinished()
      expect(state.errors).toEqual([])
    })

    it('responds with an error response if the generator throws', async () => {
      const { reached, fail } = run('before')
      const one = await (await serve(path)).client()
      await reached
      fail(new Error('broken'))
      expect(await one.read()).toMatchObject({ status: 500, ended: 'whole' })
      expect(state.errors).toHaveLength(1)
      await isFinished()
    })

    it('responds with 503 after the handler timeout', async () => {
      const { reached } = run('before')
      const { app, client } = await serve(path)
      const one = await client()
      await reached
      await app.clock.advance('31s')
      const { status, body } = await one.read()
      expect([status, JSON.parse(body).code]).toEqual([503, 'HANDLER_TIMEOUT'])
      await isFinished()
      expect(state.errors).toHaveLength(1)
    })

    it('sends its first item, and ends before close() resolves', async () => {
      const { reached, proceed } = run('before')
      script(withFirst(state.script))
      const { app, client } = await serve(path)
      const one = await client()
      await reached
      const closed = app.close()
      await turns()
      proceed()
      const { status, body, ended } = await one.read()
      expect(status).toBe(200)
      expect(body).toContain('"n":1')
      expect(ended).toBe(isSse ? 'whole' : 'cut')
      await closed
      expect(state.log).toEqual(['finally'])
    })
  })

  describe('between two items', () => {
    it('ends its generator when the client disconnects, and logs nothing', async () => {
      const { reached } = run('between')
      const one = await (await serve(path)).client()
      await reached
      await one.response
      one.leave()
      await isFinished()
      expect(state.errors).toEqual([])
    })

    it('sends an error at the end of the body, and logs it once', async () => {
      const { reached, fail } = run('between')
      const one = await (await serve(path)).client()
      await reached
      await one.response
      fail(new Error('a secret'))
      const { body, ended, status } = await one.read()
      expect(status).toBe(200)
      expect(body.includes('event: error')).toBe(isSse)
      expect(body).not.toContain('a secret')
      expect(ended).toBe(isSse ? 'whole' : 'cut')
      expect(state.errors).toHaveLength(1)
      expect(state.errors[0]).toMatchObject({ status: 500, message: 'A stream failed' })
      await isFinished()
    })

    it('ends at maxAge without an end event', async () => {
      const { reached } = run('between')
      const { app, port } = await serve(path)
      const one = await client(port, aged)
      await reached
      await one.response
      await app.clock.advance('1m')
      const { body, ended } = await one.read()
      expect(body).not.toContain('event: end')
      expect(ended).toBe(isSse ? 'whole' : 'cut')
      await isFinished()
      expect(state.errors).toEqual([])
    })

    it('ends when the application closes, without an end event', async () => {
      const { reached } = run('between')
      const { app, client } = await serve(path)
      const one = await client()
      await reached
      await one.response
      const closed = app.close()
      const { body, ended } = await one.read()
      expect(body).not.toContain('event: end')
      expect(ended).toBe(isSse ? 'whole' : 'cut')
      await closed
      expect(state.log).toEqual(['finally'])
      expect(state.errors).toEqual([])
    })
  })

  describe('while its client does not read', () => {
    /** Waits until the generator is asked for nothing more. */
    async function press(at: number, which: string = path) {
      const made = run('pressed')
      const one = await client(at, which)
      await made.reached
      await one.response
      await turns(200)
      expect(state.log).toEqual([])
      return { ...made, one }
    }

    it('ends its generator when the client disconnects, and logs nothing', async () => {
      const { port } = await serve(path)
      const { one } = await press(port)
      one.leave()
      await isFinished()
      expect(state.errors).toEqual([])
    })

    it('sends an error after the items that were sent before', async () => {
      const { port } = await serve(path)
      const { one, fail } = await press(port)
      fail(new Error('broken'))
      const { body, ended } = await one.read()
      expect(body.includes('event: error')).toBe(isSse)
      expect(ended).toBe(isSse ? 'whole' : 'cut')
      await isFinished()
      expect(state.errors).toHaveLength(1)
    })

    it('sends no comments, which would only fill the buffers', async () => {
      const { app, port } = await serve(path)
      const { one, fail } = await press(port)
      await app.clock.advance('1m')
      fail(new Error('broken'))
      const { body } = await one.read()
      expect(body).toContain('"n":1')
      expect(body).not.toMatch(/^:$/m)
    })

    it('is cut off at maxAge', async () => {
      const { app, port } = await serve(path)
      const { one } = await press(port, aged)
      await app.clock.advance('1m')
      await isFinished()
      expect((await one.read()).ended).toBe('cut')
      expect(state.errors).toEqual([])
    })

    it('ends when the application closes, without an end event', async () => {
      const { app, port } = await serve(path)
      const { one } = await press(port)
      const closed = app.close()
      await isFinished()
      const { body, ended } = await one.read()
      expect(body).not.toContain('event: end')
      expect(ended).toBe(isSse ? 'whole' : 'cut')
      await closed
    })
  })

  describe('after its last item, before its generator ends', () => {
    it('ends its generator when the client disconnects, and logs nothing', async () => {
      const { reached } = run('end')
      const one = await (await serve(path)).client()
      await reached
      await one.response
      one.leave()
      await isFinished()
      expect(state.errors).toEqual([])
    })

    it('sends an error instead of the end event', async () => {
      const { reached, fail } = run('end')
      const one = await (await serve(path)).client()
      await reached
      await one.response
      fail(new Error('broken'))
      const { body, ended } = await one.read()
      expect(body).not.toContain('event: end')
      expect(body.includes('event: error')).toBe(isSse)
      expect(ended).toBe(isSse ? 'whole' : 'cut')
      expect(state.errors).toHaveLength(1)
    })

    it('ends at maxAge without an end event', async () => {
      const { reached } = run('end')
      const { app, port } = await serve(path)
      const one = await client(port, aged)
      await reached
      await one.response
      await app.clock.advance('1m')
      const { body, ended } = await one.read()
      expect(body).not.toContain('event: end')
      expect(ended).toBe(isSse ? 'whole' : 'cut')
      await isFinished()
    })

    it('ends when the application closes, without an end event', async () => {
      const { reached } = run('end')
      const { app, client } = await serve(path)
      const one = await client()
      await reached
      await one.response
      const closed = app.close()
      const { body, ended } = await one.read()
      expect(body).not.toContain('event: end')
      expect(ended).toBe(isSse ? 'whole' : 'cut')
      await closed
    })
  })

  it('ends its generator exactly once, even if the application closes afterwards', async () => {
    script(async function* () {
      yield { n: 1 }
    })
    const { app, client } = await serve(path)
    expect(await (await client()).read()).toMatchObject({ status: 200, ended: 'whole' })
    await app.close()
    expect(state.log).toEqual(['finally'])
    expect(state.errors).toEqual([])
  })
})

/** Goes on after the first item until the signal aborts. */
function withFirst(first: typeof state.script): typeof state.script {
  return async function* (req) {
    yield* first(req)
    await waits(req.signal)
  }
}
