import {
  Auth,
  Controller,
  Get,
  getTenantId,
  type Request,
  type RequestHandler,
  requireTenantId,
  Tenant,
  tenantRouter,
  type User,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import express from 'express'
import { afterEach, beforeEach } from 'vitest'

@Controller('open')
class OpenController {
  @Get()
  open(req: Request) {
    return { tenant: getTenantId() ?? null, user: req.user?.id ?? null }
  }
}

@Tenant()
@Auth()
@Controller('legacy')
class LegacyController {
  @Get('left')
  left() {
    return { tenant: getTenantId() ?? null }
  }

  @Get('twice')
  async twice(req: Request) {
    again.callNext()
    await new Promise((resolve) => setTimeout(resolve, 20))
    return { tenant: getTenantId() ?? null, user: req.user?.id ?? null }
  }
}

/** `callNext` is set by a test to call `next` of its router once more. */
export const again = { callNext: () => {} }
/** The guards, checks and handlers that ran in the test. */
export let calls: string[] = []
export let app: TestApp
/** Functions that close what a test has opened. */
export const ends: (() => unknown)[] = []

/** Resets this state before each test of the file that calls it, and cleans up after the test. */
export function useLegacyApp(): void {
  beforeEach(() => {
    calls = []
  })
  afterEach(async () => {
    await app?.close()
    for (const end of ends.splice(0).reverse()) await end()
  })
}

export const guard = {
  canActivate(req: Request): boolean | Promise<boolean> {
    calls.push(`guard ${getTenantId()}`)
    const id = req.get('x-user')
    if (id !== undefined) req.user = { id }
    return id !== undefined
  },
}
export const authorize = (_req: Request, id: string, user: User | undefined) => {
  calls.push(`authorize ${id}`)
  return user?.['id'] === 'ada' && id === 'acme'
}

export const sendTenant: RequestHandler = (req, res) => {
  calls.push('router')
  res.json({ data: { tenant: requireTenantId(), user: req.user?.id, url: req.url } })
}
export const passOn: RequestHandler = (_req, _res, next) => next()
export const legacy = () =>
  express
    .Router()
    .get('/rows', sendTenant)
    .get('/left', passOn)
    .get('/fails', () => {
      throw new Error('unexpected')
    })

export async function start(options: TestOptions = {}): Promise<void> {
  app = await TestApp.create({
    controllers: [OpenController, LegacyController],
    auth: { guard },
    tenant: { authorize },
    logger: false,
    ...options,
  })
}

export async function ask(path: string, user?: string, tenant?: string) {
  const headers = { ...(user && { 'x-user': user }), ...(tenant && { 'x-tenant-id': tenant }) }
  const { status, body, headers: answered } = await app.with(headers).request().get(path)
  return { status, code: body.code, data: body.data, headers: answered }
}

export const mounted = () => [tenantRouter(legacy(), { path: '/legacy' })]
