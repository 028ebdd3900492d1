import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  ApiResponseDoc,
  BaseController,
  Cache,
  Controller,
  defineControllers,
  Get,
  HttpCode,
  Post,
  Redirect,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

let made = 0

@Controller()
class StatusController extends BaseController {
  @Get('said/:status')
  said(req: Request, res: Response) {
    res.status(Number(req.params.status))
    return { a: 1 }
  }

  @Get('assigned')
  async assigned(_req: Request, res: Response) {
    await undefined
    res.statusCode = 203
    return 'assigned'
  }

  @HttpCode(201)
  @Post('made')
  make(req: Request, res: Response) {
    if (req.query.status !== undefined) res.status(Number(req.query.status))
    return 'made'
  }

  @HttpCode(200)
  @Get('nothing')
  nothing() {}

  @Get('nothing-said')
  nothingSaid({ res }: Request) {
    res?.status(202)
  }

  @Get('plain')
  plain() {
    return 'plain'
  }

  @HttpCode(201)
  @Get('ok')
  okay({ query }: Request, res: Response) {
    if (query.status !== undefined) res.status(Number(query.status))
    return this.ok(res, 'Fine', 1)
  }

  @Get('ok-given')
  okGiven(_req: Request, res: Response) {
    res.status(418)
    return this.ok(res, 'Fine', 1, 203)
  }

  @Get('thrown')
  thrown(_req: Request, res: Response) {
    res.status(418)
    throw new Error('broken')
  }

  @Redirect('/elsewhere', 302)
  @Get('moved')
  moved() {}

  @Cache({ ttl: '1m' })
  @Get('cached/:status')
  cached(req: Request, res: Response) {
    made++
    res.status(Number(req.params.status))
    return made
  }
}

const closing: (() => unknown)[] = []

afterEach(async () => {
  made = 0
  for (const close of closing.splice(0).reverse()) await close()
})

async function make(options: Parameters<typeof TestApp.create>[0] = {}): Promise<TestApp> {
  const controllers = defineControllers(StatusController)
  const app = await TestApp.create({ contract: 'off', controllers, logger: false, ...options })
  closing.push(() => app.close())
  return app
}

describe('a status that a handler sets', () => {
  it.each([201, 202, 400, 404, 418, 503])('is sent with the returned value: %i', async (status) => {
    const app = await make()
    const answer = await app.request().get(`/said/${status}`)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ statusCode: 'success', status, data: { a: 1 } })
  })

  it.each([204, 205, 304])('is sent without a body if it allows no body: %i', async (status) => {
    const answer = await (await make()).fetch(`/said/${status}`)
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status, text: '' })
  })

  it('is sent without a body to clients that would read a body: 205', async () => {
    const { status, text, headers } = await (await make()).request().get('/said/205')
    expect({ status, text, length: headers['content-length'] }).toEqual({
      status: 205,
      text: '',
      length: '0',
    })
  })

  it('is sent even if the handler assigns res.statusCode after an `await`', async () => {
    const { status, body } = await (await make()).request().get('/assigned')
    expect({ status, body }).toMatchObject({ status: 203, body: { status: 203 } })
  })

  it('overrides @HttpCode, even if it is 200', async () => {
    const app = await make()
    for (const [path, status] of [
      ['/made', 201],
      ['/made?status=200', 200],
      ['/made?status=202', 202],
    ] as const) {
      const answer = await app.request().post(path)
      expect({ path, status: answer.status, said: answer.body.status }).toEqual({
        path,
        status,
        said: status,
      })
    }
  })

  it('is sent even if the handler returns nothing', async () => {
    const app = await make()
    expect((await app.request().get('/nothing')).body).toMatchObject({ status: 200 })
    expect((await app.request().get('/nothing-said')).status).toBe(202)
    expect((await app.request().get('/moved')).status).toBe(302)
  })

  it('is sent by this.ok(), unless this.ok() has a status argument', async () => {
    const app = await make()
    for (const [path, status] of [
      ['/ok', 201],
      ['/ok?status=200', 200],
      ['/ok?status=418', 418],
      ['/ok-given', 203],
    ] as const) {
      const answer = await app.request().get(path)
      expect({ path, status: answer.status, said: answer.body.status }).toEqual({
        path,
        status,
        said: status,
      })
    }
  })

  it('is not sent with an error that the handler throws', async () => {
    expect((await (await make()).request().get('/thrown')).status).toBe(500)
  })

  it('is kept in cached responses', async () => {
    const app = await make()
    for (const status of [418, 200]) {
      const path = `/cached/${status}`
      const [first, second] = [await app.request().get(path), await app.request().get(path)]
      expect([first.status, second.status]).toEqual([status, status])
    }
    expect(made).toBe(3)
  })

  it('violates the contract if the document does not contain it', async () => {
    @Controller()
    class TeaController {
      @ApiResponseDoc({ status: 202, description: 'Tea', schema: z.number() })
      @Get('tea')
      tea(_req: Request, res: Response) {
        res.status(202)
        return 1
      }

      @ApiResponseDoc({ status: 200, description: 'Coffee', schema: z.number() })
      @Get('coffee')
      coffee(_req: Request, res: Response) {
        res.status(418)
        return 1
      }
    }
    const app = await make({ controllers: defineControllers(TeaController), contract: 'throw' })
    expect((await app.request().get('/tea')).status).toBe(202)
    await expect(app.request().get('/coffee')).rejects.toThrow('418')
  })
})

describe('a status that was set before the handler', () => {
  it('is kept if a middleware has set it', async () => {
    const app = await make({ middlewares: [(_req, res, next) => next(void res.status(203))] })
    expect((await app.request().get('/plain')).body).toMatchObject({ status: 203 })
  })

  it('does not override @HttpCode if it is the 200 that an outer Express application has set', async () => {
    const app = await make()
    const host = express()
    host.use((_req, res, next) => next(void Object.assign(res, { statusCode: 200 })))
    const server = createServer(host.use(app.handler))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    const { port } = server.address() as AddressInfo
    expect((await fetch(`http://127.0.0.1:${port}/made`, { method: 'POST' })).status).toBe(201)
  })
})
