import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  App,
  Controller,
  createTenantMiddleware,
  Get,
  getTenantId,
  type RequestHandler,
  runWithTenant,
  Tenant,
} from 'blazon'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { keepAlive, send } from './crowd.js'

@Tenant({ optional: true })
@Controller('inner')
class InnerController {
  @Get()
  get() {
    return { tenant: getTenantId() ?? null }
  }
}

@Tenant({ optional: true })
@Controller('outer')
class OuterController {
  @Get()
  get() {
    return { tenant: getTenantId() ?? null }
  }
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Serves a handler. Returns a function that requests a path and returns the tenant in the response. */
async function serve(handler: Parameters<typeof createServer>[1]) {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const agent = keepAlive(1)
  ends.push(
    () => server.close(),
    () => agent.destroy(),
  )
  const { port } = server.address() as AddressInfo
  return async (path: string, headers: Record<string, string>) =>
    (await send(port, agent, { path, headers })).body.data.tenant
}

function appOf(options: ConstructorParameters<typeof App>[0]): App {
  const app = new App({ logger: false, ...options })
  ends.push(() => app.close())
  return app
}

const sendTenant: RequestHandler = (_req, res) =>
  res.json({ data: { tenant: getTenantId() ?? null } })

describe('an application that is mounted in Express', () => {
  it('sets the tenant only within itself', async () => {
    const app = appOf({ tenant: {}, controllers: [InnerController] })
    const outside = express().use(app.handler).use(sendTenant)
    const ask = await serve(outside)
    expect(await ask('/inner', { 'x-tenant-id': 'acme' })).toBe('acme')
    expect(await ask('/elsewhere', { 'x-tenant-id': 'acme' })).toBeNull()
  })

  it('does not change the tenant of the outer application', async () => {
    const app = appOf({ tenant: { header: 'x-inner' }, controllers: [InnerController] })
    const outside = express()
      .use((_req, _res, next) => runWithTenant('outside', next))
      .use(app.handler)
      .use(sendTenant)
    const ask = await serve(outside)
    expect(await ask('/inner', { 'x-inner': 'acme' })).toBe('acme')
    expect(await ask('/inner', {})).toBeNull()
    expect(await ask('/elsewhere', { 'x-inner': 'acme' })).toBe('outside')
  })

  it('uses the tenant set by createTenantMiddleware() in Express if it has no tenant option', async () => {
    const app = appOf({ controllers: [InnerController] })
    const outside = express().use(createTenantMiddleware()).use(app.handler).use(sendTenant)
    const ask = await serve(outside)
    expect(await ask('/inner', { 'x-tenant-id': 'acme' })).toBe('acme')
    expect(await ask('/elsewhere', { 'x-tenant-id': 'acme' })).toBe('acme')
    expect(await ask('/inner', {})).toBeNull()
  })

  it('can use the outer tenant through a strategy', async () => {
    const tenant = { header: false, strategies: [() => getTenantId()] } as const
    const app = appOf({ tenant, controllers: [InnerController] })
    const outside = express()
      .use((_req, _res, next) => runWithTenant('outside', next))
      .use(app.handler)
    expect(await (await serve(outside))('/inner', {})).toBe('outside')
  })
})

describe('an application that is mounted in another App', () => {
  it('identifies tenants with its own options', async () => {
    const inner = appOf({ tenant: { header: 'x-inner' }, controllers: [InnerController] })
    const mount: RequestHandler = (req, res, next) => inner.handler(req, res, next)
    const outer = appOf({ tenant: {}, controllers: [OuterController], middlewares: [mount] })
    await inner.init()
    await outer.init()
    const ask = await serve((req, res) => outer.handler(req, res))
    const headers = { 'x-inner': 'mine', 'x-tenant-id': 'theirs' }
    expect(await ask('/inner', headers)).toBe('mine')
    expect(await ask('/outer', headers)).toBe('theirs')
    expect(await ask('/outer', { 'x-inner': 'mine' })).toBeNull()
  })
})

describe('the createTenantMiddleware function in Express', () => {
  it('passes its errors to next()', async () => {
    const outside = express()
      .use(createTenantMiddleware({ header: 'x-org', required: true }))
      .use(sendTenant)
      .use(((error, _req, res, _next) => {
        res.json({ data: { tenant: [error.status, error.code] } })
      }) as express.ErrorRequestHandler)
    const ask = await serve(outside)
    expect(await ask('/', { 'x-org': 'acme' })).toBe('acme')
    expect(await ask('/', {})).toEqual([400, 'TENANT_REQUIRED'])
    expect(await ask('/', { 'x-org': 'a b' })).toEqual([400, 'TENANT_INVALID'])
  })
})
