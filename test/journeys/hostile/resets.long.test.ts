import { connect } from 'node:net'
import { Controller, defineControllers, Get, Post, type Request, type Response } from 'blazon'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../../conformance/random.js'
import { AttackedProcess } from '../../hostile/attacked-process.js'
import { pipeline, REFUSALS } from '../../hostile/reset-requests.js'
import { start } from './listening-app.js'
import { RawConnection, request } from './raw-connection.js'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a client that pipelines requests and resets the connection', () => {
  let attacked: AttackedProcess
  let ports: readonly number[]
  beforeAll(async () => {
    ;[attacked, ports] = await AttackedProcess.start('./reset-process.ts')
  })
  afterAll(() => attacked.kill())

  async function reset(port: number, text: string, ms: number): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(text)
    if (ms > 0) await pause(ms)
    socket.resetAndDestroy()
  }

  it.each(Object.entries(REFUSALS))(
    'does not crash the process if the requests are refused for: %s',
    async (_, draft) => {
      const text = pipeline([draft, draft, draft], 'complete', new Random(1))
      for (const port of ports) {
        for (const ms of [0, 0, 1, 2, 0, 3]) await reset(port, text, ms)
      }
      // An error that would end the process comes from the event loop, a little later.
      await pause(500)
      expect((await attacked.condition()).uncaught).toEqual([])
    },
  )
})

const gone: string[] = []
const ran: string[] = []

@Controller()
class WaitingController {
  @Get('wait/:name') wait({ params, signal }: Request) {
    signal.addEventListener('abort', () => gone.push(params.name as string))
    return new Promise(() => {})
  }

  @Get('slow') async slow() {
    await pause(20)
    return 'slow'
  }

  @Post('read') async read(req: Request, res: Response) {
    for await (const _ of req);
    res.send(Buffer.from('read'))
  }

  @Post('note') note() {
    ran.push('note')
    return 'noted'
  }
}

const controllers = defineControllers(WaitingController)

describe('pipelined requests', () => {
  it('are all aborted if the client resets the connection', async () => {
    gone.length = 0
    const { port } = await start({ controllers })
    const connection = await RawConnection.open(port)
    const lines = ['Connection: keep-alive']
    const names = ['first', 'second', 'third']
    connection.write(names.map((name) => request(`/wait/${name}`, lines)).join(''))
    await pause(50)
    connection.socket.resetAndDestroy()
    await expect.poll(() => gone).toHaveLength(3)
    expect(gone.toSorted()).toEqual(names.toSorted())
  })

  it('receive no 100 response while an earlier response is pending', async () => {
    const { port } = await start({ controllers })
    const connection = await RawConnection.open(port)
    const lines = ['Connection: keep-alive', 'Content-Length: 4', 'Expect: 100-continue']
    const read = request('/read', lines, { method: 'POST', body: 'body' })
    connection.write(request('/slow', ['Connection: keep-alive']) + read)
    // A response to a request that got no 100 is the last on its connection.
    await connection.ended()
    const answers = await connection.answers(2)
    expect(answers.map(({ status, text }) => [status, text.slice(-4)])).toEqual([
      [200, 'ow"}'],
      [200, 'read'],
    ])
  })
})

describe('requests after a response that closes the connection', () => {
  it.each([
    [
      'after a request with an invalid Host header',
      request('/slow', ['Host: a@b', 'Connection: keep-alive']),
    ],
    [
      'after a request whose target has another host',
      request('http://b/', ['Connection: keep-alive']),
    ],
  ])('do not run their handlers: %s', async (_, first) => {
    ran.length = 0
    const { port } = await start({ controllers })
    const connection = await RawConnection.open(port)
    connection.write(first + request('/note', ['Content-Length: 0'], { method: 'POST' }))
    await connection.ended()
    expect(await connection.answers(1)).toMatchObject([{ status: 400 }])
    expect(ran).toEqual([])
  })
})
