import {
  Auth,
  type AuthGuard,
  type Class,
  Controller,
  defineOption,
  Get,
  InjectionToken,
  inject,
  type Request,
  type RouteModel,
  tenantRouter,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import express from 'express'
import { describe, expect, it } from 'vitest'

const Internal = defineOption('Internal')
const Network = new InjectionToken<string>('Network')

@Auth()
@Controller('reports')
class Reports {
  @Get()
  list() {
    return []
  }

  @Internal()
  @Get('costs')
  costs() {
    return 42
  }
}

/** Allows internal routes to clients of one network only. */
class NetworkGuard implements AuthGuard {
  readonly network = inject(Network)

  canActivate(req: Request, route?: RouteModel) {
    return route?.option(Internal) === undefined || req.get('x-network') === this.network
  }
}

function start(guard: AuthGuard | Class<AuthGuard>, controllers: Class[] = [Reports]) {
  const providers = [{ token: Network, useValue: 'office' }]
  return TestApp.create({ controllers, providers, auth: { guard } })
}

describe('a guard', () => {
  it('can use an option of the matched route', async () => {
    await using app = await start(NetworkGuard)
    await app.request().get('/reports').expect(200)
    await app.request().get('/reports/costs').expect(401)
    await app.request().get('/reports/costs').set('x-network', 'office').expect(200)
  })

  it('receives the route that the router has matched, for any spelling of the URL', async () => {
    const names: (string | undefined)[] = []
    const guard = {
      canActivate(_: Request, route?: RouteModel) {
        names.push(route?.name)
        return true
      },
    }
    await using app = await start(guard)
    for (const path of [
      '/reports/costs',
      '/Reports/COSTS/',
      '/reports/%63osts',
      '/reports?costs',
    ]) {
      await app.request().get(path).expect(200)
    }
    expect(names).toEqual(['Reports.costs', 'Reports.costs', 'Reports.costs', 'Reports.list'])
  })

  it('receives no route for a request to a tenantRouter()', async () => {
    const routes: unknown[] = []
    const guard = {
      canActivate(_: Request, route?: RouteModel) {
        routes.push(route)
        return true
      },
    }
    const router = express.Router().get('/rows', (_req, res) => void res.json([]))
    await using app = await TestApp.create({
      controllers: [Reports],
      auth: { guard },
      tenant: { authorize: () => true },
      middlewares: [tenantRouter(router)],
    })
    await app.request().get('/rows').set('x-tenant-id', 'acme').expect(200)
    expect(routes).toEqual([undefined])
  })
})
