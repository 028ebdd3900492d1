import { App, type Middleware, type Response } from 'blazon'
import { addHeaders, replayResponse } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

/** The response of an application that sends a stored response. */
async function respond(
  send: (res: Response) => void,
  { headers = {}, before = [] }: { headers?: object; before?: Middleware[] } = {},
) {
  const app = await TestApp.create({
    controllers: [],
    contract: 'off',
    middlewares: [...before, (_req, res) => send(res)],
  })
  onTestFinished(() => app.close())
  return await app
    .request()
    .get('/')
    .set(headers as never)
}

it('a stored header whose value looks like a Content-Type is sent under its own name', async () => {
  const format = 'application/json; charset=utf-8'
  const { headers, status } = await respond((res) =>
    replayResponse(res, { headers: ['X-Format', format], body: 'kept' }),
  )
  expect([status, headers['x-format']]).toEqual([200, format])
  expect(headers).not.toHaveProperty('content-type')
})

describe('a stored response', () => {
  it('replaces headers of the application and added headers instead of repeating them', async () => {
    const send: Middleware = (req, res) => {
      addHeaders(res, ['X-A', 'added', 'X-B', 'added'])
      const own = req.path === '/added' ? ['X-A', 'stored'] : ['X-Frame-Options', 'DENY']
      replayResponse(res, { headers: own, body: 'kept' })
    }
    // In production, nothing waits for the end of these responses, so each head is written in one call.
    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    const app = await App.create({ controllers: [], logger: false, middlewares: [send] })
    onTestFinished(() => app.close())
    const { port } = await app.listen(0, '127.0.0.1')
    const get = async (path: string) => {
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`)
      return ['x-a', 'x-b', 'x-frame-options'].map((name) => headers.get(name))
    }
    expect(await get('/added')).toEqual(['stored', 'added', 'SAMEORIGIN'])
    expect(await get('/static')).toEqual(['added', 'added', 'DENY'])
  })

  it('has no Content-Length if its status is 204', async () => {
    const { headers, status } = await respond((res) =>
      replayResponse(res, { status: 204, headers: ['X-A', 'stored'], body: '' }),
    )
    expect([status, headers['x-a']]).toEqual([204, 'stored'])
    expect(headers).not.toHaveProperty('content-length')
  })

  const date = 'Sun, 09 Sep 2001 01:46:40 GMT'
  it.each([
    ['If-None-Match', '"1"', ['ETag', '"1"']],
    ['If-Modified-Since', date, ['Last-Modified', date]],
  ])('results in a 304 response without a type for a matching %s', async (name, value, own) => {
    const { headers, status, text } = await respond(
      (res) => replayResponse(res, { headers: ['Content-Type', 'text/x', ...own], body: 'kept' }),
      { headers: { [name]: value } },
    )
    expect([status, text, headers[String(own[0]).toLowerCase()]]).toEqual([304, '', own[1]])
    expect(headers).not.toHaveProperty('content-type')
  })

  it('keeps its bytes even if a middleware changes the bytes that it sends', async () => {
    const body = Buffer.from('kept')
    const changing: Middleware = (_req, res, next) => {
      const { end } = res
      res.end = (chunk: Buffer) => end.call(res, chunk.fill('x'))
      next()
    }
    const { text } = await respond((res) => replayResponse(res, { headers: [], body }), {
      before: [changing],
    })
    expect([text, String(body)]).toEqual(['xxxx', 'kept'])
  })
})
