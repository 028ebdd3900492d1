import {
  Auth,
  Body,
  Controller,
  defineControllers,
  type ErrorRequestHandler,
  Get,
  NotFoundError,
  Post,
  type RequestHandler,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

@Controller('things')
class ThingsController {
  @Get('mine')
  @Auth()
  mine() {
    return 'mine'
  }

  @Get('lost')
  lost() {
    throw new NotFoundError('Lost')
  }

  @Post()
  @Body(z.object({ name: z.string() }))
  create() {
    return 'made'
  }
}

let app: TestApp
afterEach(() => app.close())

const start = async (middlewares: (RequestHandler | ErrorRequestHandler)[]) => {
  app = await TestApp.create({
    controllers: defineControllers(ThingsController),
    auth: { guard: { canActivate: () => false } },
    security: { helmet: true, cors: { origin: 'https://shop.example' } },
    middlewares,
  })
}

const REFUSED = [
  ['an unknown path', () => app.request().get('/nowhere'), 404],
  ['a method that is not allowed', () => app.request().delete('/things/lost'), 405],
  ['a request that the guard refuses', () => app.request().get('/things/mine'), 401],
  ['an error that a handler throws', () => app.request().get('/things/lost'), 404],
  ['a body that is invalid', () => app.request().post('/things').send({ name: 7 }), 400],
  ['a body that is not JSON', () => app.request().post('/things').type('json').send('{"a":'), 400],
] as const

describe.each(REFUSED)('%s', (_what, ask, status) => {
  it('results in the same response whether a middleware has set a header or not', async () => {
    await start([])
    const flat = await ask()
    await app.close()
    const setsOne: RequestHandler = (_req, res, next) => next(void res.setHeader('X-Own', 'yes'))
    await start([setsOne])
    const { headers, ...set } = await ask()
    const { 'x-own': mark, date: _date, ...rest } = headers
    const { date: _other, ...expected } = flat.headers
    expect([flat.status, mark]).toEqual([status, 'yes'])
    expect(rest).toEqual(expected)
    expect([set.status, set.text]).toEqual([flat.status, flat.text])
  })

  it('results in an Error that error middlewares receive', async () => {
    const seen: unknown[] = []
    const note: ErrorRequestHandler = (error, _req, _res, next) => {
      seen.push(error)
      next(error)
    }
    await start([note])
    await ask()
    expect(seen).toHaveLength(1)
    expect(seen[0]).toBeInstanceOf(Error)
    expect(seen[0]).toMatchObject({ status })
  })
})

describe('an error that a handler throws', () => {
  it('keeps its stack', async () => {
    let stack: string | undefined
    const note: ErrorRequestHandler = (error: Error, _req, _res, next) => {
      stack = error.stack
      next(error)
    }
    await start([note])
    await app.request().get('/things/lost')
    expect(stack).toContain('refusals.test')
  })
})
