import {
  Auth,
  Cache,
  Controller,
  Get,
  type Middleware,
  type Req,
  type Request,
  Tenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'

const SEEDS = [1, 2, 3]

/** Two routes that declare their responses shared, although these contain data of the user. */
@Tenant()
@Controller('leaky')
class LeakyController {
  @Get('open')
  @Cache({ ttl: '1m', key: () => 'open', shared: true })
  open(req: Request) {
    return { greeting: `Hello ${req.user?.name}` }
  }

  @Auth()
  @Get('guarded')
  @Cache({ ttl: '1m', shared: true })
  guarded(req: Req<{ auth: true }>) {
    return { email: req.user.email }
  }
}

@Tenant()
@Controller('tight')
class TightController {
  @Get('open')
  @Cache({ ttl: '1m' })
  open(req: Request) {
    return { greeting: `Hello ${req.user?.name}` }
  }

  @Get('own')
  @Cache({ ttl: '1m', key: () => 'own' })
  own(req: Request) {
    return { greeting: `Hello ${req.user?.name}` }
  }

  @Auth()
  @Get('guarded')
  @Cache({ ttl: '1m' })
  guarded(req: Req<{ auth: true }>) {
    return { email: req.user.email }
  }

  @Get('shared')
  @Cache({ ttl: '1m', shared: true })
  shared() {
    return { news: 'none' }
  }
}

const create = (middlewares: Middleware[] = []) =>
  TestApp.create({
    controllers: [LeakyController, TightController],
    auth: { guard: { canActivate: () => false } },
    middlewares,
    tenant: {},
    contract: 'off',
  })

const seen = ({
  leaks,
}: {
  leaks: readonly { operation: string; from: string; to: string }[]
}) => ({
  operations: [...new Set(leaks.map(({ operation }) => operation))],
  isWithin: leaks.every(({ from, to }) => from !== to && from.split(' ')[0] === to.split(' ')[0]),
})

it.each(SEEDS)(
  'proveIsolation() finds data of one user in responses to another user of the same tenant (seed %i)',
  async (seed) => {
    await using app = await create()
    const report = await app.proveIsolation({ tenants: ['acme', 'globex'], seed })
    expect(seen(report)).toEqual({
      operations: ['GET /leaky/open', 'GET /leaky/guarded'],
      isWithin: true,
    })
  },
)

it('proveIsolation() finds data of users that the test creates and a middleware extends', async () => {
  const greet: Middleware = (req, _res, next) => {
    if (req.user !== undefined) req.user = { ...req.user, email: `${req.user['name']}@example.com` }
    next()
  }
  await using app = await create([greet])
  const report = await app.proveIsolation({
    tenants: ['acme', 'globex'],
    seed: 1,
    users: (tenant, name) => ({ id: `${tenant} ${name}`, name }),
  })
  expect(seen(report).operations).toEqual(['GET /leaky/open', 'GET /leaky/guarded'])
})

it('proveIsolation() does not compare users with `users: false`', async () => {
  await using app = await create()
  const options = { tenants: ['acme', 'globex'], seed: 1 }
  const [all, none] = [
    await app.proveIsolation(options),
    await app.proveIsolation({ ...options, users: false }),
  ]
  expect(none.leaks).toEqual([])
  expect(none.requests).toBeLessThan(all.requests)
})
