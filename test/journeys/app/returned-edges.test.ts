import { PassThrough } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Controller, Get, type Response as Res } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { errors, handler, start } from './values-app.js'

/** A body that never ends, and whether its reader has cancelled it. */
function endless() {
  const state = { isCancelled: false }
  const body = new ReadableStream({
    cancel() {
      state.isCancelled = true
    },
  })
  return { state, body }
}

describe('a returned Response', () => {
  it.each(['Connection', 'Keep-Alive', 'Proxy-Connection', 'TE', 'Trailer', 'Upgrade'])(
    'is sent without its header %s, which applies to another connection',
    async (name) => {
      const app = await start()
      handler.make = () => new Response('text', { headers: { [name]: 'x-own' } })
      const response = await app.fetch('/values')
      expect([response.status, await response.text()]).toEqual([200, 'text'])
      expect(response.headers.get(name)).not.toBe('x-own')
    },
  )

  it('keeps the coding and the length of a body that the handler has encoded itself', async () => {
    const app = await start()
    const coded = gzipSync('text')
    const headers = { 'content-encoding': 'gzip', 'content-length': String(coded.length) }
    handler.make = () => new Response(coded, { headers })
    const response = await app.fetch('/values')
    const names = ['content-encoding', 'content-length']
    expect(names.map((name) => response.headers.get(name))).toEqual(Object.values(headers))
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(String(bytes.equals(coded) ? gunzipSync(bytes) : bytes)).toBe('text')
  })

  it('results in a logged error with a remedy if other code reads its body', async () => {
    const app = await start()
    handler.make = () => {
      const response = new Response('text')
      response.body?.getReader()
      return response
    }
    expect((await app.fetch('/values')).status).toBe(500)
    expect(errors).toMatchObject([{ err: { message: expect.stringContaining('has been read') } }])
  })

  it('is cancelled if the handler has already sent another response', async () => {
    const app = await start()
    const { state, body } = endless()
    handler.make = () => new Response(body)
    expect(await (await app.fetch('/values/both')).json()).toEqual({ sent: true })
    await expect.poll(() => state.isCancelled).toBe(true)
  })
})

describe('a returned stream', () => {
  it('is destroyed if the client disconnected before the handler returned it', async () => {
    const app = await start()
    const stream = new PassThrough()
    const returned = new Promise<void>((resolve) => {
      handler.make = () => {
        setImmediate(resolve)
        return stream
      }
    })
    const leaving = new AbortController()
    const response = app.fetch('/values/aborted', { signal: leaving.signal })
    await app.clock.advance(0)
    leaving.abort()
    await expect(response).rejects.toThrow()
    await returned
    await expect.poll(() => stream.destroyed).toBe(true)
  })

  it('is destroyed if one of its chunks cannot be sent', async () => {
    const app = await start()
    const stream = new PassThrough({ objectMode: true })
    stream.write({ a: 1 })
    handler.make = () => stream
    expect((await app.fetch('/values')).status).toBe(500)
    expect(stream.destroyed).toBe(true)
  })
})

it('a returned Blob is refused if the handler has set another Content-Length', async () => {
  @Controller('stated')
  class Stated {
    @Get() get(_req: unknown, res: Res) {
      res.set('Content-Length', '4')
      return new Blob(['some bytes'])
    }
  }
  await using app = await TestApp.create({ controllers: [Stated], logger: false, contract: 'off' })
  expect((await app.fetch('/stated')).status).toBe(500)
})
