import { Readable } from 'node:stream'
import { BaseController, Controller, Envelope, Get, HttpCode, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

const streams: Readable[] = []

@Controller('things')
class ThingsController extends BaseController {
  @Get('stream') stream(_req: unknown, res: Response) {
    const stream = Readable.from(['a'])
    streams.push(stream)
    return this.ok(res, 'A stream', stream)
  }

  @HttpCode(201) @Get('stated') stated(_req: unknown, res: Response) {
    return this.ok(res, 'Stated', 1)
  }

  @HttpCode(201) @Get('set') set(_req: unknown, res: Response) {
    return this.ok(res.status(202), 'Set', 1)
  }

  @HttpCode(201) @Get('given') given(_req: unknown, res: Response) {
    return this.ok(res, 'Given', 1, 203)
  }

  @Envelope(false) @HttpCode(201) @Get('bare') bare(_req: unknown, res: Response) {
    return this.ok(res, 'Bare', { id: 1 })
  }
}

interface WithOk {
  ok(res: Response, message: string, data?: unknown): Response
}

@Controller('frozen')
class FrozenController {
  constructor() {
    Object.freeze(this)
  }

  @Get() get() {
    return typeof (this as unknown as WithOk).ok
  }
}

@Controller('own')
class OwnController {
  readonly ok = 'own'

  @Get() get() {
    return this.ok
  }
}

@Controller('plain')
class PlainController {
  @Get() get(_req: unknown, res: Response) {
    return (this as unknown as WithOk).ok(res, 'Plain', Object.keys(this))
  }
}

const controllers = [ThingsController, FrozenController, OwnController, PlainController]

describe('the method ok() of a controller', () => {
  it.each([
    ['stated', 201],
    ['set', 202],
    ['given', 203],
  ])('sends the envelope with the status: %s', async (path, status) => {
    await using app = await TestApp.create({ controllers, contract: 'off' })
    const response = await app.request().get(`/things/${path}`)
    expect([response.status, response.body]).toMatchObject([status, { status, data: 1 }])
  })

  it('sends bare data with the status of the route if the route has no envelope', async () => {
    await using app = await TestApp.create({ controllers, contract: 'off' })
    const { status, body } = await app.request().get('/things/bare')
    expect([status, body]).toEqual([201, { id: 1 }])
  })

  it('refuses a stream, and destroys it', async () => {
    await using app = await TestApp.create({ controllers, contract: 'off' })
    expect((await app.request().get('/things/stream')).status).toBe(500)
    expect(streams.map(({ destroyed }) => destroyed)).toEqual([true])
    const [line] = app.logs.filter(({ level }) => level === 'error')
    expect(String(line?.facts['err'])).toMatch(
      /TypeError: The data of this\.ok\(\) is a stream, a file or a Response.*return it from the handler/,
    )
  })

  it('is added to every controller that has none, except for frozen ones, and is not listed', async () => {
    await using app = await TestApp.create({ controllers, contract: 'off' })
    const dataOf = async (path: string) => (await app.request().get(path)).body.data
    expect(await dataOf('/frozen')).toBe('undefined')
    expect(await dataOf('/own')).toBe('own')
    expect(await dataOf('/plain')).toEqual([])
  })
})
