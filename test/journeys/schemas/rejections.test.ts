import { App, Body, Controller, Get, Headers, Params, Post, Query, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const Items = z.object({
  items: z.array(z.object({ price: z.number(), 'unit.name': z.string().optional() })),
})

const Everything = {
  params: z.object({ id: z.coerce.number() }),
  query: z.object({ page: z.coerce.number() }),
  headers: z.object({ 'x-trace': z.string() }),
  body: z.object({ name: z.string(), tags: z.array(z.string()) }),
}

let handled = 0

@Controller('orders')
class OrdersController {
  @Post()
  @Body(Items)
  create(req: Request) {
    handled++
    return req.body
  }

  @Post('plain')
  @Body({ type: 'array', items: { type: 'integer' } })
  plain(req: Request) {
    return req.body
  }

  // These decorators are in another order than the reported parts.
  @Post('all/:id')
  @Body(Everything.body)
  @Headers(Everything.headers)
  @Query(Everything.query)
  @Params(Everything.params)
  all(req: Request) {
    handled++
    return req.validated
  }

  @Get('nothing')
  nothing(req: Request) {
    return { validated: Object.keys(req.validated), params: req.validated.params ?? 'undefined' }
  }

  @Get('query')
  @Query(z.object({ page: z.coerce.number() }))
  query(req: Request) {
    return { keys: Object.keys(req.query), isSame: req.query === req.validated.query }
  }
}

describe('the validation of inputs', () => {
  let app: TestApp
  const start = async () => {
    handled = 0
    app = await TestApp.create({
      contract: 'throw',
      controllers: [OrdersController],
      logger: false,
    })
    return app.request()
  }
  afterEach(() => app.close())

  it('reports the errors of all parts at once: params, query, headers, body', async () => {
    const request = await start()
    const { body, status } = await request.post('/orders/all/x').send({ tags: ['a', 1] })
    expect(status).toBe(400)
    expect(body.message).toBe('Validation failed')
    expect(body.errors.map((e: { in: string; path: string }) => `${e.in} ${e.path}`)).toEqual([
      'params id',
      'query page',
      'headers x-trace',
      'body name',
      'body tags.1',
    ])
    expect(body.errors.every((e: { message: string }) => e.message.length > 0)).toBe(true)
  })

  it('prevents the handler from running if it fails', async () => {
    const request = await start()
    await request.post('/orders/all/x').send({})
    await request.post('/orders').send({})
    expect(handled).toBe(0)
  })

  it('reports a dotted path, even when a key contains a dot', async () => {
    const request = await start()
    const { body } = await request
      .post('/orders')
      .send({ items: [{ price: 1 }, { price: '2', 'unit.name': 3 }] })
    expect(body.errors.map((e: { path: string }) => e.path)).toEqual([
      'items.1.price',
      'items.1.unit.name',
    ])
  })

  it.each([
    ['/orders', { items: Array.from({ length: 50 }, () => ({ price: 'x' })) }],
    ['/orders/plain', Array.from({ length: 50 }, () => 'x')],
  ])('reports at most 20 errors of a body that is sent to %s', async (path, sent) => {
    const request = await start()
    const { body, status } = await request.post(path).send(sent)
    expect(status).toBe(400)
    expect(body.errors).toHaveLength(20)
  })

  it('reports at most 20 errors in total', async () => {
    const request = await start()
    const { body } = await request
      .post('/orders/all/x')
      .send({ name: 1, tags: Array.from({ length: 50 }, () => 1) })
    expect(body.errors).toHaveLength(20)
    expect(body.errors[0].in).toBe('params')
    expect(body.errors.at(-1).in).toBe('body')
  })

  it('reports errors in problem+json when the client accepts it', async () => {
    const request = await start()
    for (const accept of ['application/problem+json', 'Application/Problem+JSON']) {
      const { body, status, type } = await request.post('/orders').set('accept', accept).send({})
      expect([status, type]).toEqual([400, 'application/problem+json'])
      expect(body.errors).toMatchObject([{ in: 'body', path: 'items' }])
    }
  })

  it('leaves the fields of req.validated undefined when the route has no schema', async () => {
    const request = await start()
    const { body } = await request.get('/orders/nothing?page=1')
    expect(body.data).toEqual({
      validated: ['params', 'body', 'query', 'headers', 'cookies'],
      params: 'undefined',
    })
  })

  it('replaces req.query, so that fields outside of the schema are removed', async () => {
    const request = await start()
    const { body } = await request.get('/orders/query?page=1&admin=true')
    expect(body.data).toEqual({ keys: ['page'], isSame: true })
  })

  it('replaces req.query on a listening application', async () => {
    const served = await App.create({ controllers: [OrdersController] })
    app = await TestApp.create()
    const { port } = await served.listen(0, '127.0.0.1')
    const answer = await fetch(`http://127.0.0.1:${port}/orders/query?page=1&admin=true`)
    const body = (await answer.json()) as { data: unknown }
    await served.close()
    expect(body.data).toEqual({ keys: ['page'], isSame: true })
  })
})
