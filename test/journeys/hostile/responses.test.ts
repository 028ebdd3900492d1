import { PassThrough } from 'node:stream'
import { Controller, defineControllers, Get, Post, type Request, type Response } from 'blazon'
import { describe, expect, it } from 'vitest'
import { expectFailure, isAlive, start } from './listening-app.js'
import { exchange, RawConnection, request } from './raw-connection.js'

type Handler = (req: Request, res: Response, next: (error?: unknown) => void) => unknown

/** Starts an application with one route, whose handler is the given function. */
async function startWith(handle: Handler, timeouts = {}) {
  @Controller()
  class OneController {
    @Get('one')
    get(req: Request, res: Response, next: (error?: unknown) => void): unknown {
      return handle(req, res, next)
    }

    @Post('one')
    post(req: Request, res: Response, next: (error?: unknown) => void): unknown {
      return handle(req, res, next)
    }
  }
  return await start({ controllers: defineControllers(OneController), timeouts })
}

const tick = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms))
function deferred<T = void>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

describe('a handler that sends two responses', () => {
  async function ask(handle: Handler) {
    const { port, logged } = await startWith(handle)
    const answers = await exchange(port, request('/one'))
    await tick(5)
    return { answers: answers.map(({ status, text }) => ({ status, text })), logged: logged.length }
  }

  const second: Record<string, Handler> = {
    'json and json': (_, res) => res.json(1).json(2),
    'send and json': (_, res) => res.send('1').json(2),
    'json and send': (_, res) => res.json(1).send('2'),
    'json and redirect': (_, res) => res.json(1).redirect('/2'),
    'json and a throw': (_, res) => {
      res.json(1)
      throw new Error('2')
    },
    'json and a rejection': async (_, res) => {
      res.json(1)
      await tick()
      throw new Error('2')
    },
    'json and, later, json': async (_, res) => {
      res.json(1)
      await tick()
      res.json(2)
    },
    'json and next(error)': (_, res, next) => {
      res.json(1)
      next(new Error('2'))
    },
  }

  it.each(Object.entries(second))(
    'sends the first response and logs an error for the second: %s',
    async (_, handle) => {
      expect(await ask(handle)).toEqual({ answers: [{ status: 200, text: '1' }], logged: 1 })
    },
  )

  const harmless: Record<string, Handler> = {
    'json and a value': (_, res) => {
      res.json(1)
      return 2
    },
    'json and, later, a value': async (_, res) => {
      res.json(1)
      await tick()
      return 2
    },
    'json and next()': (_, res, next) => {
      res.json(1)
      next()
    },
    'end and end': (_, res) => res.end('1').end('2'),
    'end and write': (_, res) => {
      res.end('1')
      res.write('2')
    },
  }

  it.each(Object.entries(harmless))(
    'sends the first response and logs nothing: %s',
    async (_, handle) => {
      expect(await ask(handle)).toEqual({ answers: [{ status: 200, text: '1' }], logged: 0 })
    },
  )

  const failing: Record<string, Handler> = {
    'next(error) twice': (_req, _res, next) => {
      next(new Error('1'))
      next(new Error('2'))
    },
    'next(error) and a throw': (_req, _res, next) => {
      next(new Error('1'))
      throw new Error('2')
    },
    'next(error) and a value': (_req, _res, next) => {
      next(new Error('1'))
      return 2
    },
  }

  it.each(Object.entries(failing))('results in one error response: %s', async (_, handle) => {
    const { answers } = await ask(handle)
    expect(answers.map(({ status }) => status)).toEqual([500])
  })
})

describe('a handler that fails after the response has begun', () => {
  it.each<[string, Handler]>([
    [
      'throws',
      (_, res) => {
        res.write('first')
        throw new Error('x')
      },
    ],
    [
      'rejects',
      async (_, res) => {
        res.write('first')
        await tick()
        throw new Error('x')
      },
    ],
    [
      'passes an error on',
      async (_, res, next) => {
        res.write('first')
        await tick()
        next(new Error('x'))
      },
    ],
  ])('results in an incomplete response if it %s', async (_, handle) => {
    const { port, logged } = await startWith(handle)
    const connection = await RawConnection.open(port)
    connection.write(request('/one', ['Connection: keep-alive']))
    await connection.ended()
    // The last chunk is missing, so the client can detect that the response is incomplete.
    expect(connection.received).not.toMatch(/0\r\n\r\n$/)
    expect(connection.received.match(/HTTP\/1.1/g)?.length ?? 0).toBeLessThanOrEqual(1)
    expect(logged).toHaveLength(1)
  })
})

describe('a handler that takes too long', () => {
  const timeouts = { handler: '30ms' }

  it.each<[string, Handler]>([
    ['never settles', () => new Promise(() => {})],
    ['sends no response', () => undefined],
    ['returns res, but never ends it', (_, res) => res.status(200)],
    ['returns a pipe that never ends', (_, res) => new PassThrough().pipe(res)],
  ])('results in a 503 response if it %s', async (_, handle) => {
    const { port, logged } = await startWith(handle, timeouts)
    expectFailure((await exchange(port, request('/one')))[0], 503, 'HANDLER_TIMEOUT')
    expect(logged).toHaveLength(1)
  })

  it('receives an abort event from req.signal', async () => {
    const reasons: unknown[] = []
    const { port } = await startWith(async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      reasons.push(signal.reason.code)
      return 'late'
    }, timeouts)
    expectFailure((await exchange(port, request('/one')))[0], 503, 'HANDLER_TIMEOUT')
    expect(reasons).toEqual(['HANDLER_TIMEOUT'])
  })

  it.each<[string, (res: Response) => unknown]>([
    ['json', (res) => res.status(200).json('late')],
    ['send', (res) => res.set('X-Late', '1').send('late')],
    ['redirect', (res) => res.redirect('/late')],
    ['cookie', (res) => res.cookie('late', '1').sendStatus(200)],
    ['writeHead', (res) => res.writeHead(200, { 'X-Late': '1' }).end('late')],
    [
      'write and end',
      (res) => {
        res.write('late')
        res.end('late')
      },
    ],
    [
      'pipe',
      (res) => {
        const source = new PassThrough()
        source.pipe(res)
        source.end('late')
      },
    ],
  ])('can call %s in a late callback without effect', async (_, answer) => {
    for (const method of ['GET', 'POST']) {
      const { promise: isLate, resolve: finish } = deferred()
      const { port } = await startWith((_, res) => {
        // An error that is thrown here would end the process.
        isLate.then(() => setImmediate(() => answer(res)))
      }, timeouts)
      const connection = await RawConnection.open(port)
      const body = ['Content-Length: 100', 'Content-Type: text/plain']
      connection.write(request('/one', method === 'POST' ? body : [], { method }))
      await connection.answers(1)
      finish()
      await tick(20)
      connection.destroy()
      expect(connection.received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 503'])
      expect(connection.received).not.toMatch(/late/i)
    }
  })

  it('does not affect the next request on the connection', async () => {
    let respond: Handler = () => new Promise(() => {})
    const { port } = await startWith((req, res, next) => respond(req, res, next), timeouts)
    const connection = await RawConnection.open(port)
    connection.write(request('/one', ['Connection: keep-alive']))
    await connection.answers(1)
    respond = (_, res) => res.json('prompt')
    connection.write(request('/one', ['Connection: keep-alive']))
    expect((await connection.answers(2)).map(({ status }) => status)).toEqual([503, 200])
    connection.destroy()
  })
})

describe('a client that disconnects', () => {
  it('aborts req.signal while the handler runs', async () => {
    const { promise: aborted, resolve: wasAborted } = deferred<unknown>()
    const { promise: isIn, resolve: entered } = deferred()
    const { port, logged } = await startWith(async ({ signal }) => {
      signal.addEventListener('abort', () => wasAborted(signal.reason.message))
      entered()
      await aborted
      return 'nobody reads this'
    })
    const connection = await RawConnection.open(port)
    connection.write(request('/one'))
    await isIn
    connection.socket.resetAndDestroy()
    expect(await aborted).toBe('The client disconnected')
    await tick(10)
    expect(logged).toEqual([])
  })

  it('aborts req.signal, even if the signal is first read afterwards', async () => {
    const { promise: isAborted, resolve: seen } = deferred<boolean>()
    const { promise: isIn, resolve: entered } = deferred()
    const { port } = await startWith(async (req, res) => {
      entered()
      await new Promise((resolve) => res.once('close', resolve))
      seen(req.signal.aborted)
    })
    const connection = await RawConnection.open(port)
    connection.write(request('/one'))
    await isIn
    connection.socket.resetAndDestroy()
    expect(await isAborted).toBe(true)
  })

  it('does not abort req.signal after a complete response', async () => {
    const signals: AbortSignal[] = []
    const { port } = await startWith((req, res) => {
      signals.push(req.signal)
      res.json(1)
    })
    await exchange(port, request('/one'))
    await tick()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('does not affect the application at any of a hundred different times', async () => {
    const handle: Handler = async (req, res) => {
      await tick(req.originalUrl.length % 7)
      res.write('x'.repeat(100_000))
      await tick(2)
      res.write('x'.repeat(100_000))
      res.end()
    }
    const { port } = await startWith(handle)
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const connection = await RawConnection.open(port)
        const lines = i % 2 === 0 ? [] : ['Content-Length: 1000', 'Content-Type: application/json']
        const method = i % 2 === 0 ? 'GET' : 'POST'
        connection.write(request(`/one?${'i'.repeat(i)}`, lines, { method }))
        await tick(i % 12)
        connection.socket.resetAndDestroy()
      }),
    )
    await tick(20)
    expect(await isAlive(port)).toBe(true)
  })
})
