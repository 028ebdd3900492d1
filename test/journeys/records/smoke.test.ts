import { Auth, Can, Cache, Controller, Get, inject, Log, Post, Body, type Request, UnauthorizedError } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
@Controller('orders')
class OrdersController {
  readonly #log = inject(Log)
  @Auth() @Can('read') @Get() list() { this.#log.info('hello'); return [] }
  @Cache({ ttl: 60 }) @Get('c') cached() { return [] }
  @Body(z.object({ a: z.string() })) @Post() create() { return 1 }
  @Get('boom') boom() { throw new Error('inner') }
}
it('x', async () => {
  const app = await TestApp.create({ controllers: [OrdersController], tenant: {}, rateLimit: { limit: 10, window: 60 },
    auth: { guard: { canActivate(req: Request) { if (req.headers.authorization === 'Bearer old-token') throw new UnauthorizedError('The token has expired'); (req as any).user = { id: 7, permissions: ['x'] }; return req.headers.authorization !== undefined } } } })
  const r1 = await app.withHeaders({'x-tenant-id':'acme'}).withAuth('good').request().get('/orders?token=sesame')
  console.log(String(app.explain(r1)), JSON.stringify(app.explain(r1), null, 1))
  await app.withAuth('old-token').request().get('/orders').expect(200).catch((e) => console.log(e.message))
  await app.request().get('/orders/c').expect(200)
  await app.clearHeaders().request().get('/orders/c').expect(200)
  const f = await app.fetch('/orders/c')
  console.log(String(app.explain(f)))
  await app.request().post('/orders').send({ a: 1 }).expect(200).catch((e) => console.log(e.message))
  await app.request().get('/orders/boom').expect(200).catch((e) => console.log(e.message, e.stack))
  await app.request().get('/nowhere').expect(200).catch((e) => console.log(e.message))
  await app.close()
})
