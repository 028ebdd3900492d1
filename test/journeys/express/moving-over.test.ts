import 'reflect-metadata'
import { createServer, type Server } from 'node:http'
import * as Nest from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import {
  App,
  type AppOptions,
  Body,
  Controller,
  defineControllers,
  Get,
  Post,
  Query,
  type Request,
} from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appsOfTest, send } from './support.js'

@Controller('orders')
class OrdersController {
  @Get(':id')
  get({ params, ip, baseUrl }: Request) {
    return { by: 'blazon', id: params.id, ip, baseUrl }
  }

  @Post()
  @Body(z.object({ sku: z.string() }))
  create({ body }: Request) {
    return { by: 'blazon', ...body }
  }
}

const apps = appsOfTest()
const appOf = (options: AppOptions = {}) =>
  apps.track(
    new App({ controllers: defineControllers(OrdersController), logger: false, ...options }),
  )
const json = { 'content-type': 'application/json', 'x-forwarded-for': '9.9.9.9' }

async function asker(server: Server) {
  const port = await apps.serving(server)
  return async (method: string, path: string, body?: string) => {
    const message = { method, path, headers: json, ...(body === undefined ? {} : { body }) }
    const { status, text } = await send(port, message)
    return { status, ...JSON.parse(text) }
  }
}

type Ask = Awaited<ReturnType<typeof asker>>

/** Checks that apply to every application that runs before an older one. */
async function expectBoth(ask: Ask, base = ''): Promise<void> {
  const moved = await ask('GET', `${base}/orders/7`)
  expect(moved.data).toEqual({ by: 'blazon', id: '7', ip: '9.9.9.9', baseUrl: base })
  const created = await ask('POST', `${base}/orders`, '{"sku":"a"}')
  expect(created.data).toEqual({ by: 'blazon', sku: 'a' })
  expect(await ask('POST', `${base}/orders`, '{"sku":1}')).toMatchObject({
    status: 400,
    code: 'VALIDATION_FAILED',
  })
  expect(await ask('GET', `${base}/legacy`)).toMatchObject({ status: 200, by: 'legacy' })
  // A method without a route here may have a route in the older application.
  expect(await ask('DELETE', `${base}/orders/7`)).toMatchObject({ by: 'legacy' })
  expect(await ask('POST', `${base}/legacy`, '{"a":1}')).toMatchObject({ body: { a: 1 } })
  expect(await ask('GET', `${base}/none`)).toMatchObject({ status: 404 })
}

describe('an App before an Express 5 application', () => {
  function legacyApp() {
    const legacy = express()
    legacy.use(express.json())
    legacy.get('/legacy', (_req, res) => void res.json({ by: 'legacy' }))
    legacy.post('/legacy', (req, res) => void res.json({ body: req.body }))
    legacy.delete('/orders/:id', (_req, res) => void res.json({ by: 'legacy' }))
    legacy.use((_req, res) => void res.status(404).json({ by: 'legacy', found: false }))
    return legacy
  }

  it('handles its routes, and passes other requests to the Express application', async () => {
    const host = express().set('trust proxy', 1).use(appOf().handler, legacyApp())
    const ask = await asker(createServer(host))
    await expectBoth(ask)
    expect(await ask('GET', '/none')).toEqual({ status: 404, by: 'legacy', found: false })
  })

  it('handles its routes and passes other requests on even if it is mounted at a path', async () => {
    const host = express().set('trust proxy', 1)
    host.use('/api', appOf({ swagger: false }).handler, legacyApp())
    await expectBoth(await asker(createServer(host)), '/api')
  })
})

describe('an App after Express 4 middlewares', () => {
  it('validates the query of Express 4, and accepts its empty body', async () => {
    @Controller('search')
    class SearchController {
      @Get()
      @Query(z.object({ filter: z.object({ page: z.coerce.number() }) }))
      search({ query }: Request) {
        return query
      }

      @Post()
      @Body(z.object({ sku: z.string().default('none') }))
      create({ body }: Request) {
        return body
      }
    }
    const host = express().use((req, _res, next) => {
      const field = { writable: true, enumerable: true, configurable: true }
      Object.defineProperty(req, 'query', { ...field, value: { filter: { page: '2' } } })
      Object.assign(req, { body: {}, _body: true })
      next()
    })
    const controllers = defineControllers(SearchController)
    host.use(appOf({ controllers, swagger: false }).handler)
    host.use((req, res) => void res.json({ query: req.query }))
    const ask = await asker(createServer(host))
    expect((await ask('GET', '/search?filter[page]=2')).data).toEqual({ filter: { page: 2 } })
    expect((await ask('POST', '/search')).data).toEqual({ sku: 'none' })
    expect((await ask('GET', '/none')).query).toEqual({ filter: { page: '2' } })
  })
})

describe('an App before a NestJS application', () => {
  class LegacyController {
    get() {
      return { by: 'legacy' }
    }

    echo(req: Request) {
      return { body: req.body }
    }

    remove() {
      return { by: 'legacy' }
    }
  }
  class LegacyModule {}

  // NestJS supports legacy decorators only. Called as functions, they work in both dialects.
  const methods = {
    get: Nest.Get('legacy'),
    echo: Nest.Post('legacy'),
    remove: Nest.Delete('orders/:id'),
  }
  for (const [name, decorate] of Object.entries(methods)) {
    const descriptor = Object.getOwnPropertyDescriptor(LegacyController.prototype, name)
    decorate(LegacyController.prototype, name, descriptor as PropertyDescriptor)
  }
  Nest.Req()(LegacyController.prototype, 'echo', 0)
  Nest.Controller()(LegacyController)
  Nest.Module({ controllers: [LegacyController] })(LegacyModule)

  async function start(mount: (nest: NestExpressApplication, app: App) => unknown) {
    const nest = await NestFactory.create<NestExpressApplication>(LegacyModule, { logger: false })
    apps.track(nest)
    nest.set('trust proxy', 1)
    mount(nest, appOf())
    await nest.init()
    return asker(nest.getHttpServer())
  }

  it('handles its routes, and passes other requests to the NestJS application', async () => {
    const ask = await start((nest, app) => nest.use(app.handler))
    await expectBoth(ask)
    const missing = await ask('GET', '/none')
    expect(missing).toMatchObject({ statusCode: 404, error: 'Not Found' })
  })

  it('handles its routes and passes other requests on even if it is mounted at a path', async () => {
    const ask = await start((nest, app) => {
      nest.setGlobalPrefix('api')
      nest.use('/api', app.handler)
    })
    await expectBoth(ask, '/api')
  })
})
