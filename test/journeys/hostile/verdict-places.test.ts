import {
  Auth,
  Can,
  Controller,
  Get,
  Post,
  type Request,
  Tenant,
  tenantRouter,
  Webhook,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** The place that a test looks at, and what the code of the application returns there. Elsewhere it returns `true`. */
let tested: { readonly place: string; readonly verdict: unknown } = { place: '', verdict: true }
const verdictAt = (place: string) => (tested.place === place ? tested.verdict : true) as boolean

const guardAt = (place: string) => ({
  canActivate(req: Request) {
    req.user = { id: 7 }
    return verdictAt(place)
  },
})

@Controller('places')
class PlacesController {
  @Auth() @Get('guard') guard() {}
  @Auth({ optional: true }) @Get('optional') optional() {}
  @Auth('one', 'two') @Get('several') several() {}
  @Auth() @Can('write') @Get('can') can() {}
  @Auth() @Tenant() @Get('tenant') tenant() {}
  @Post('webhook') @Webhook({ verify: () => verdictAt('verify of @Webhook') }) webhook() {}
}

/** Each place, a request that passes it, and the responses with which the place allows and refuses. */
const PLACES: readonly [place: string, request: string, allowed: string, refused: string][] = [
  ['the first of auth.guards', 'GET /places/guard', '204', '401'],
  ['the first of auth.guards', 'GET /places/optional', '204', '401'],
  ['the first of auth.guards', 'GET /legacy/rows', '200', '401'],
  ['a guard that a route names', 'GET /places/several', '204', '401'],
  ['auth.can', 'GET /places/can', '204', '403'],
  ['tenant.authorize', 'GET /places/tenant', '204', '403'],
  ['tenant.authorize', 'GET /legacy/rows', '200', '403'],
  ['verify of @Webhook', 'POST /places/webhook', '204', '401'],
  ['metrics.guard', 'GET /metrics', '200', '401'],
  ['health.guard', 'GET /readyz', '200 with reasons', '200'],
]

const NOT_TRUE: readonly unknown[] = [
  ...[undefined, null, false, 0, 1, '', 'true', {}, [true], Object(true), Symbol('true')],
  () => true,
]

let app: TestApp
beforeAll(async () => {
  const router = express.Router().get('/rows', (_req, res) => void res.json({}))
  app = await TestApp.create({
    controllers: [PlacesController],
    auth: {
      guards: {
        main: guardAt('the first of auth.guards'),
        one: guardAt('a guard that a route names'),
        two: guardAt('a guard that a route names'),
      },
      can: () => verdictAt('auth.can'),
    },
    tenant: { authorize: () => verdictAt('tenant.authorize') },
    middlewares: [tenantRouter(router, { path: '/legacy' })],
    health: { guard: guardAt('health.guard') },
    metrics: { guard: guardAt('metrics.guard') },
    contract: 'off',
    logger: false,
  })
})
afterAll(() => app.close())

async function responseTo(request: string, place: string, verdict: unknown): Promise<string> {
  tested = { place, verdict }
  const [method, path = ''] = request.split(' ')
  const headers = { authorization: 'Bearer x', 'x-tenant-id': 'acme' }
  const response = await app.fetch(path, { method: method as string, headers })
  const hasReasons = /"plugins"/.test(await response.text())
  return `${response.status}${hasReasons ? ' with reasons' : ''}`
}

describe.each(PLACES)('%s, called for %s', (place, request, allowed, refused) => {
  it('allows access if it returns `true` or a promise of `true`', async () => {
    expect(await responseTo(request, place, true)).toBe(allowed)
    expect(await responseTo(request, place, Promise.resolve(true))).toBe(allowed)
  })

  it('refuses access if it returns any other value or a promise of one', async () => {
    for (const value of NOT_TRUE) {
      const both = [
        await responseTo(request, place, value),
        await responseTo(request, place, Promise.resolve(value)),
      ]
      expect(both, String(value)).toEqual([refused, refused])
    }
  })
})
