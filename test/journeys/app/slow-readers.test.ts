import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Controller, Get, type Request, type Response, Sse } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { keptLog, openUnread } from '../capacity/support.js'
import { gate } from '../gate.js'

/** More than the buffers of a connection take. */
const LARGE = Buffer.alloc(32 * 1024 ** 2, 'x')
const CUT = 'A response was aborted because its client did not read it'

/** The server's ends of the connections of requests, and whether their responses are closed. */
let responses: Response[] = []
/** That of the request `written`. */
let signal: AbortSignal | undefined
let held = gate()
let app: TestApp
let client: Socket
afterEach(async () => {
  client.destroy()
  held.open()
  await app.close()
})

@Controller('things')
class ThingsController {
  @Get('large')
  large(_req: Request, res: Response) {
    responses.push(res)
    res.end(LARGE)
  }

  @Get('small')
  small(_req: Request, res: Response) {
    responses.push(res)
    return {}
  }

  @Get('written')
  written(req: Request, res: Response) {
    responses.push(res)
    signal = req.signal
    res.write(LARGE)
  }

  @Get('slow')
  async slow(_req: Request, res: Response) {
    responses.push(res)
    await held.opened
    return {}
  }

  @Sse({ type: 'object' })
  @Get('idle')
  async *idle({ res }: Request) {
    responses.push(res as Response)
    yield { at: 1 }
    await held.opened
    yield { at: 2 }
  }
}

async function start(timeouts: object = {}, requestIds = false) {
  responses = []
  held = gate()
  const { lines, logger } = keptLog()
  app = await TestApp.create({
    controllers: [ThingsController],
    contract: 'off',
    timeouts: { handler: false, ...timeouts },
    logger,
    requestIds,
  })
  const { port } = await app.listen(0, '127.0.0.1')
  const cuts = () => lines.filter(([, message]) => message === CUT)
  return { port, cuts }
}

const get = (path: string) => `GET /things/${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** Sends requests on one connection and reads nothing, until all their handlers have run. */
async function sendUnread(port: number, ...paths: string[]) {
  client = await openUnread(port, paths.map(get).join(''))
  await expect.poll(() => responses.length).toBe(paths.length)
}

/** How many bytes the system of the server has taken of the response. */
function taken(): number {
  const socket = responses[0]?.socket as unknown as { _handle: Record<string, number> }
  const { bytesWritten = 0, writeQueueSize = 0 } = socket._handle
  return bytesWritten - writeQueueSize
}

/** Waits until the buffers of the connection are full. */
async function full(): Promise<void> {
  let last = -1
  await expect
    .poll(() => {
      const now = taken()
      const isSame = now === last
      last = now
      return isSame
    })
    .toBe(true)
}

describe('a client that reads no byte of a response', () => {
  it.each(['large', 'written'])(
    'is disconnected after a minute, and one warning is logged: /things/%s',
    async (path) => {
      const { port, cuts } = await start()
      await sendUnread(port, path)
      await full()
      await app.clock.advance('59s')
      expect(responses[0]?.closed).toBe(false)
      await app.clock.advance('1m')
      await expect.poll(() => responses[0]?.closed).toBe(true)
      if (path === 'written') expect(signal?.aborted).toBe(true)
      const facts = { method: 'GET', route: `/things/${path}`, seconds: 60 }
      expect(cuts()).toEqual([['warn', CUT, expect.objectContaining(facts)]])
    },
  )

  it('is named in the log by its route and its request ID', async () => {
    const { port, cuts } = await start({}, true)
    await sendUnread(port, 'large')
    await full()
    await app.clock.advance('2m')
    const facts = {
      method: 'GET',
      route: '/things/large',
      requestId: expect.any(String),
      seconds: 60,
    }
    expect(cuts()).toEqual([['warn', CUT, facts]])
  })

  it('is disconnected after the time of `timeouts.response`', async () => {
    const { port, cuts } = await start({ response: '4s' })
    await sendUnread(port, 'large')
    await full()
    await app.clock.advance('8s')
    await expect.poll(() => responses[0]?.closed).toBe(true)
    expect(cuts()).toHaveLength(1)
  })

  it('is disconnected even if the unread response had to wait for an earlier response', async () => {
    const { port, cuts } = await start()
    await sendUnread(port, 'slow', 'large')
    await app.clock.advance('10m')
    expect(cuts()).toEqual([])
    held.open()
    await expect.poll(() => responses[1]?.socket?.writableLength).toBeGreaterThan(0)
    responses.shift()
    await full()
    await app.clock.advance('2m')
    await expect.poll(() => responses[0]?.closed).toBe(true)
    expect(cuts()).toHaveLength(1)
  })

  it('has unlimited time if `timeouts.response` is 0', async () => {
    const { port, cuts } = await start({ response: 0 })
    await sendUnread(port, 'large')
    await full()
    await app.clock.advance('1d')
    expect([responses[0]?.closed, cuts()]).toEqual([false, []])
  })

  it('causes only one log line, even after an hour', async () => {
    const { port, cuts } = await start()
    await sendUnread(port, 'large')
    await full()
    await app.clock.advance('1h')
    expect(cuts()).toHaveLength(1)
  })
})

describe('a client that reads slowly or waits for data', () => {
  it('is not disconnected if it reads some bytes of a large chunk every 45 seconds', async () => {
    const { port, cuts } = await start()
    await sendUnread(port, 'large')
    for (let i = 0; i < 4; i++) {
      await full()
      const before = taken()
      await app.clock.advance('45s')
      // Reads until the system of the server has taken more.
      client.resume()
      await expect.poll(() => taken(), { interval: 1 }).toBeGreaterThan(before)
      client.pause()
    }
    await full()
    await app.clock.advance('45s')
    expect([responses[0]?.closed, cuts()]).toEqual([false, []])
  })

  it('is not disconnected while its event stream has nothing to send', async () => {
    const { port, cuts } = await start()
    client = connect(port, '127.0.0.1')
    let text = ''
    client.on('data', (bytes) => {
      text += bytes
    })
    await once(client, 'connect')
    client.write(get('idle'))
    await expect.poll(() => text).toContain('{"at":1}')
    await app.clock.advance('1h')
    held.open()
    await expect.poll(() => text).toContain('{"at":2}')
    expect(cuts()).toEqual([])
  })

  it('is not disconnected while the handler has not responded', async () => {
    const { port, cuts } = await start()
    await sendUnread(port, 'slow')
    await app.clock.advance('1h')
    held.open()
    client.resume()
    await once(client, 'data')
    expect(cuts()).toEqual([])
  })
})
