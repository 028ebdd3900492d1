import { AsyncResource } from 'node:async_hooks'
import {
  type AppOptions,
  Auth,
  Controller,
  Get,
  getTenantId,
  type Request,
  type RequestHandler,
  Tenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { beforeEach, expect, it } from 'vitest'

/** Runs functions in the scope of the first request, as a pool does that calls back later. */
let inFirst: ((run: () => void) => void) | undefined
beforeEach(() => {
  inFirst = undefined
})

function capture(): void {
  inFirst ??= AsyncResource.bind((run: () => void) => run())
}

@Controller('rows')
class RowsController {
  @Tenant({ optional: true }) @Get() list() {
    capture()
    return { tenant: getTenantId() ?? null }
  }

  @Auth() @Tenant() @Get('owned') owned() {
    capture()
    return { tenant: getTenantId() ?? null }
  }
}

/** Calls `next` in the scope of the first request. */
const leaking: RequestHandler = (_req, _res, next) => {
  if (inFirst === undefined) next()
  else inFirst(() => next())
}

async function ask(options: AppOptions, tenants: (string | undefined)[], path = '/rows') {
  const warnings: string[] = []
  const warn = (_: object, text: string) => void warnings.push(text)
  const logger = { info() {}, warn, error() {} }
  const all = { controllers: [RowsController], middlewares: [leaking], logger, ...options }
  await using app = await TestApp.create({ ...all, contract: 'off' })
  const found: unknown[] = []
  for (const tenant of tenants) {
    const request = app.request().get(path)
    if (tenant !== undefined) request.set('x-tenant-id', tenant)
    found.push((await request).body.data?.tenant)
  }
  return { found, warnings: warnings.filter((text) => text.includes('tenant scope of another')) }
}

it('a request without a tenant keeps none in the scope of another request, with one warning', async () => {
  const { found, warnings } = await ask({ tenant: {} }, ['acme', undefined, undefined])
  expect(found).toEqual(['acme', null, null])
  expect(warnings).toHaveLength(1)
})

it('a request with a tenant keeps it in the scope of another request, without a warning', async () => {
  const { found, warnings } = await ask({ tenant: {} }, ['acme', 'zeta', 'acme'])
  expect([found, warnings]).toEqual([['acme', 'zeta', 'acme'], []])
})

it('a request with a tenant that is not allowed yet keeps it, without a warning', async () => {
  const guard = {
    canActivate(req: Request) {
      req.user = { id: 'ann' }
      return true
    },
  }
  const options = { auth: { guard }, tenant: { authorize: () => true } }
  const { found, warnings } = await ask(options, ['acme', 'zeta'], '/rows/owned')
  expect([found, warnings]).toEqual([['acme', 'zeta'], []])
})
