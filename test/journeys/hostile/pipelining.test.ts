import { Body, Controller, defineControllers, Get, Post, type Request, type Response } from 'blazon'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { expectFailure, type ListeningApp, start } from './listening-app.js'
import { exchange, post, RawConnection, request } from './raw-connection.js'

/** Resolves `released`, for which the handlers wait. */
let release = () => {}
let released: Promise<void>
const signals: AbortSignal[] = []

@Controller()
class WaysController {
  @Get('now')
  now() {
    return 'now'
  }

  @Get('later')
  async later({ signal }: Request) {
    signals.push(signal)
    await released
    return 'later'
  }

  @Post('posted')
  @Body(z.object({ id: z.number() }))
  async posted(req: Request) {
    await released
    return req.body
  }

  @Get('stream')
  async stream(_req: Request, res: Response) {
    res.write('first ')
    await released
    res.end('last')
  }

  @Post('echo')
  echo(req: Request, res: Response) {
    res.write('begun ')
    req.pipe(res)
  }
}

let app: ListeningApp

beforeEach(async () => {
  signals.length = 0
  released = new Promise((resolve) => {
    release = resolve
  })
  const controllers = defineControllers(WaysController)
  app = await start({ controllers, timeouts: { headers: '1s' } })
})

const keep = ['Connection: keep-alive']
const now = request('/now', keep)
const later = request('/later', keep)

const MALFORMED: Record<string, string> = {
  'text that is not a request': 'this is not HTTP\r\n\r\n',
  'a bad header': 'GET /now HTTP/1.1\r\nHost: x\r\nX-A : b\r\n\r\n',
  'a body with two lengths': `${request('/now', ['Content-Length: 1', 'Transfer-Encoding: chunked'])}x`,
  'a bad chunk': request(
    '/posted',
    [...keep, 'Transfer-Encoding: chunked', 'Content-Type: application/json'],
    {
      method: 'POST',
      body: 'zz\r\n',
    },
  ),
}

describe.each(Object.entries(MALFORMED))('requests before %s', (_, malformed) => {
  it.each([
    ['one request', [now], ['now']],
    ['several requests', [now, now, now], ['now', 'now', 'now']],
    ['a request that waits', [later], ['later']],
    [
      'requests after a request that waits',
      [now, later, now, later],
      ['now', 'later', 'now', 'later'],
    ],
    ['a request with a body', [post('/posted', '{"id":7}', keep), now], [{ id: 7 }, 'now']],
  ])('receive their responses first and in order: %s', async (_name, requests, expected) => {
    const connection = await RawConnection.open(app.port)
    connection.write(requests.join('') + malformed + now)
    setTimeout(release, 20)
    await connection.ended()
    const answers = await connection.answers(requests.length + 1)
    expect(answers.slice(0, -1).map(({ text }) => JSON.parse(text).data)).toEqual(expected)
    expectFailure(answers.at(-1), 400, 'BAD_REQUEST')
    expect(answers.at(-1)?.headers['connection']).toBe('close')
    expect(connection.error).toBeUndefined()
  })

  it('receive a complete response if it is a stream', async () => {
    const connection = await RawConnection.open(app.port)
    connection.write(request('/stream', keep) + malformed)
    await connection.until(() => connection.received.includes('first'))
    connection.write(now)
    setTimeout(release, 20)
    await connection.ended()
    const answers = await connection.answers(2)
    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    expect(answers[0]?.text).toBe('first last')
  })

  it('are not followed by a 400 response if the last one has Connection: close', async () => {
    const connection = await RawConnection.open(app.port)
    connection.write(later + request('/now') + malformed)
    setTimeout(release, 20)
    await connection.ended()
    const answers = await connection.answers(2)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('a request after a request with Connection: close', () => {
  it.each([
    ['none', []],
    ['one waiting request', [later]],
    ['several waiting requests', [later, later]],
  ])(
    'does not run its handler, with earlier requests on the connection: %s',
    async (_, earlier) => {
      const connection = await RawConnection.open(app.port)
      connection.write([...earlier, request('/later'), later, later].join(''))
      await expect.poll(() => signals.length).toBe(earlier.length + 1)
      release()
      await connection.ended()
      expect(connection.received.match(/HTTP\/1\.1 200/g)).toHaveLength(earlier.length + 1)
      expect(signals).toHaveLength(earlier.length + 1)
    },
  )
})

describe('a request after a refused request', () => {
  it.each([
    ['none', []],
    ['one waiting request', [later]],
    ['several waiting requests', [later, later]],
  ])(
    'does not run its handler, with earlier requests on the connection: %s',
    async (_, earlier) => {
      const refused = request('/later', [...keep, 'Host: localhost/x'])
      const connection = await RawConnection.open(app.port)
      connection.write([...earlier, refused, later].join(''))
      await expect.poll(() => signals.length).toBe(earlier.length)
      release()
      await connection.ended()
      const answers = await connection.answers(earlier.length + 1)
      expectFailure(answers.at(-1), 400, 'BAD_REQUEST')
      expect(signals).toHaveLength(earlier.length)
    },
  )
})

describe('a request after a slow request', () => {
  it('receives its 408 response after the earlier response if it does not arrive in time', async () => {
    const connection = await RawConnection.open(app.port)
    connection.write(`${request('/stream', keep)}GET /now HT`)
    let isRefused = false
    app.app.server.on('clientError', () => {
      isRefused = true
      release()
    })
    await connection.ended()
    const answers = await connection.answers(2)
    expect(isRefused).toBe(true)
    expect(answers[0]?.text).toBe('first last')
    expectFailure(answers[1], 408, 'REQUEST_TIMEOUT')
  })

  it('is cut off after about a megabyte if it is malformed', async () => {
    const connection = await RawConnection.open(app.port)
    connection.write(`${later}this is not HTTP\r\n\r\n`)
    const { socket } = connection
    const piece = Buffer.alloc(64 * 1024, 'x')
    for (let i = 0; i < 256 && !socket.destroyed; i++) {
      await new Promise((resolve) => socket.write(piece, resolve))
    }
    if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve))
    expect(app.accepted()).toBeLessThan(1.5 * 1024 * 1024)
  })

  it('does not prevent the abort signal of the slow request if it is malformed', async () => {
    const connection = await RawConnection.open(app.port)
    connection.write(`${later}this is not HTTP\r\n\r\n`)
    await expect.poll(() => signals.length).toBe(1)
    connection.socket.resetAndDestroy()
    await expect.poll(() => signals[0]?.aborted).toBe(true)
  })
})

describe('malformed data on a connection', () => {
  const chunks = request('/echo', [...keep, 'Transfer-Encoding: chunked'], {
    method: 'POST',
    body: '2\r\nab\r\n',
  })

  it('cuts a response that has begun, and adds no second response', async () => {
    const connection = await RawConnection.open(app.port)
    connection.write(chunks)
    await connection.until(() => connection.received.includes('ab'))
    connection.write('zz\r\n')
    await connection.ended()
    expect(connection.received.match(/HTTP\/1\.1/g)).toHaveLength(1)
    // The last chunk is missing, because the body was not complete.
    expect(connection.received).toMatch(/ab\r\n$/)
  })

  it('does not replace a response that was sent without reading the body', async () => {
    for (const path of ['/now', '/nowhere']) {
      const text = request(path, [...keep, 'Transfer-Encoding: chunked'], { body: 'zz\r\n' })
      const answers = await exchange(app.port, text)
      expect(answers.map(({ status }) => status)).toEqual([path === '/now' ? 200 : 404])
    }
  })

  it('closes the connection even if the client does not close it', async () => {
    const connection = await RawConnection.open(app.port)
    connection.write('this is not HTTP\r\n\r\n')
    await connection.answers(1)
    const count = () =>
      new Promise((resolve) => app.app.server.getConnections((_error, open) => resolve(open)))
    await expect.poll(count).toBe(0)
    connection.destroy()
  })
})
