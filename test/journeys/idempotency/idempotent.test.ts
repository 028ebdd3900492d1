import {
  ApiResponseDoc,
  Body,
  ConflictError,
  Controller,
  Delete,
  file,
  Get,
  Header,
  HttpCode,
  Idempotent,
  Post,
  Put,
  type Request,
  type Response,
  Sse,
  Upload,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

let effects: unknown[] = []
let gate: Promise<void> | undefined

const Order = z.object({ item: z.string().max(40), at: z.number().default(() => Math.random()) })

@Controller('orders')
class OrdersController {
  @Idempotent()
  @Post()
  @Body(Order)
  @Header('X-Fixed', 'always')
  async create(req: Request, res: Response) {
    await gate
    effects.push(req.body)
    const { item } = req.body as { item: string }
    if (item === 'none') throw new ConflictError('Sold out')
    if (item === 'own error') return res.status(404).json({ no: item })
    res.set({ Location: `/orders/${effects.length}`, 'Set-Cookie': 'a=b' }).status(201)
    return { id: effects.length, item }
  }

  @Idempotent({ required: true, ttl: '1h' })
  @Put(':id')
  @HttpCode(202)
  put(req: Request) {
    effects.push(req.params['id'])
    return { id: req.params['id'] }
  }

  @Idempotent()
  @Delete(':id')
  @ApiResponseDoc({ status: 204 })
  remove() {
    effects.push('removed')
  }

  @Idempotent()
  @Post('raw/:kind')
  raw(req: Request, res: Response) {
    effects.push(req.params['kind'])
    const { kind } = req.params
    if (kind === 'head') {
      res.writeHead(203, { 'X-Own': 'yes', 'Content-Type': 'text/plain' })
      res.write('in ')
      return res.end('pieces')
    }
    if (kind === 'bytes')
      return res
        .status(201)
        .type('bin')
        .send(Buffer.from([0, 255, 128]))
    if (kind === 'long') return res.send('x'.repeat(300_000))
    if (kind === 'redirect') return res.redirect(303, '/orders/7')
    res.write('later')
    setTimeout(() => res.end(), 5)
    return res
  }
}

const guard = {
  canActivate: (req: Request) => {
    const [id] = /\d+$/.exec(req.get('authorization') ?? '') ?? []
    if (req.get('authorization') === undefined) return false
    req.user = id === undefined ? { name: 'nobody' } : { id: Number(id) }
    return true
  },
}

describe('a route with @Idempotent()', () => {
  let app: TestApp
  const post = (body: object, key?: string, path = '/orders') => {
    const request = app.request().post(path)
    if (key !== undefined) request.set('Idempotency-Key', key)
    return request.send(body)
  }
  beforeEach(async () => {
    effects = []
    gate = undefined
    app = await TestApp.create({ controllers: [OrdersController], contract: 'off' })
  })
  afterEach(() => app.close())

  it('runs once for each key, and sends the same response again', async () => {
    const first = await post({ item: 'tea' }, 'k1')
    const again = await post({ item: 'tea' }, 'k1')
    expect(effects).toHaveLength(1)
    expect(first.status).toBe(201)
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(again.status).toBe(201)
    expect(again.text).toBe(first.text)
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      location: '/orders/1',
      'content-type': first.headers['content-type'],
      'content-length': first.headers['content-length'],
      'x-fixed': 'always',
    })
  })

  it('does not store cookies, which are secrets', async () => {
    expect((await post({ item: 'tea' }, 'k1')).headers['set-cookie']).toEqual(['a=b'])
    expect((await post({ item: 'tea' }, 'k1')).headers['set-cookie']).toBeUndefined()
  })

  it('runs for each request that has no key or a new key', async () => {
    for (const key of [undefined, undefined, 'k1', 'k2', '"k1"']) await post({ item: 'tea' }, key)
    expect(effects).toHaveLength(5)
  })

  it('refuses a key that was used with another body or another URL', async () => {
    await post({ item: 'tea' }, 'k1')
    for (const [body, path] of [
      [{ item: 'rum' }, '/orders'],
      [{ item: 'tea' }, '/orders?x=1'],
    ] as const) {
      const { status, body: error } = await post(body, 'k1', path)
      expect([status, error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    }
    expect(effects).toHaveLength(1)
  })

  it('refuses repetitions while the first request is running', async () => {
    let open = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    const first = post({ item: 'tea' }, 'k1').then((response) => response)
    await expect.poll(async () => (await post({ item: 'tea' }, 'k1')).status).toBe(409)
    const { headers, body } = await post({ item: 'tea' }, 'k1')
    expect([headers['retry-after'], body.code]).toEqual(['1', 'IDEMPOTENCY_RUNNING'])
    open()
    expect((await first).status).toBe(201)
    expect((await post({ item: 'tea' }, 'k1')).status).toBe(201)
    expect(effects).toHaveLength(1)
  })

  it.each([
    ['none', 409],
    ['own error', 404],
  ])('stores no error response: %s', async (item, status) => {
    expect((await post({ item }, 'k1')).status).toBe(status)
    expect((await post({ item }, 'k1')).status).toBe(status)
    expect(effects).toHaveLength(2)
    expect((await post({ item: 'tea' }, 'k1')).status).toBe(201)
  })

  it('stores no response to a request with an invalid body', async () => {
    expect((await post({ item: 7 }, 'k1')).status).toBe(400)
    expect((await post({ item: 'tea' }, 'k1')).status).toBe(201)
  })

  it('refuses keys that are missing, empty, too long, or contain invalid characters', async () => {
    const put = (key?: string) => {
      const request = app.request().put('/orders/7')
      return key === undefined ? request : request.set('Idempotency-Key', key)
    }
    for (const key of [undefined, '', 'a b', 'ä', 'k'.repeat(256)]) {
      const { status, body } = await put(key)
      expect([key, status, body.code]).toEqual([key, 400, 'IDEMPOTENCY_KEY_INVALID'])
    }
    expect((await put('k'.repeat(255))).status).toBe(202)
    expect((await put('k'.repeat(255))).status).toBe(202)
    expect(effects).toEqual(['7'])
  })

  it('runs again after the stored response has expired', async () => {
    const put = () => app.request().put('/orders/7').set('Idempotency-Key', 'k')
    await put()
    await app.clock.advance('59m')
    expect((await put()).headers['idempotency-replayed']).toBe('true')
    await app.clock.advance('2m')
    expect((await put()).headers['idempotency-replayed']).toBeUndefined()
    expect(effects).toEqual(['7', '7'])
  })

  it.each(['head', 'bytes', 'redirect'])(
    'repeats a response that the handler has sent itself: %s',
    async (kind) => {
      const [first, again] = [
        await post({}, 'k', `/orders/raw/${kind}`),
        await post({}, 'k', `/orders/raw/${kind}`),
      ]
      expect(effects).toHaveLength(1)
      const {
        date,
        'x-request-id': _,
        connection,
        'transfer-encoding': __,
        ...headers
      } = first.headers
      expect(again.headers).toMatchObject({ ...headers, 'idempotency-replayed': 'true' })
      expect([again.status, again.text ?? again.body]).toEqual([
        first.status,
        first.text ?? first.body,
      ])
    },
  )

  it('repeats a 204 response', async () => {
    const remove = () => app.request().delete('/orders/7').set('Idempotency-Key', 'k')
    await remove()
    const { status, headers } = await remove()
    expect([status, headers['content-length'], headers['idempotency-replayed']]).toEqual([
      204,
      undefined,
      'true',
    ])
  })

  it.each(['long', 'later'])(
    'does not run again if the response cannot be stored: %s',
    async (kind) => {
      expect((await post({}, 'k', `/orders/raw/${kind}`)).status).toBe(200)
      const { status, body } = await post({}, 'k', `/orders/raw/${kind}`)
      expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_NOT_KEPT'])
      expect(effects).toHaveLength(1)
      expect(app.logs.some(({ message }) => /longer than 256 KiB/.test(String(message)))).toBe(true)
    },
  )
})

describe('the scope of an idempotency key', () => {
  it('consists of the route, the caller and the tenant', async () => {
    effects = []
    await using app = await TestApp.create({
      controllers: [OrdersController],
      tenant: {},
      auth: { guard, default: 'protected' },
      contract: 'off',
    })
    const post = (user: number, tenant: string, path = '/orders') =>
      app
        .request()
        .post(path)
        .set({ authorization: `Bearer ${user}`, 'x-tenant-id': tenant, 'Idempotency-Key': 'k' })
        .send({ item: 'tea' })
    for (const [user, tenant, path] of [
      [1, 'a'],
      [2, 'a'],
      [1, 'b'],
      [1, 'a', '/orders/raw/bytes'],
    ] as const) {
      expect((await post(user, tenant, path)).headers['idempotency-replayed']).toBeUndefined()
      expect((await post(user, tenant, path)).headers['idempotency-replayed']).toBe('true')
    }
    expect(effects).toHaveLength(4)
  })

  it('requires callers with an id', async () => {
    effects = []
    await using app = await TestApp.create({
      controllers: [OrdersController],
      auth: { guard, default: 'protected' },
      contract: 'off',
    })
    const { status } = await app
      .request()
      .post('/orders')
      .set({ authorization: 'Bearer x', 'Idempotency-Key': 'k' })
      .send({ item: 'tea' })
    expect([status, effects]).toEqual([500, []])
    expect(app.logs.map(({ facts }) => String(facts['err'])).join()).toMatch(/`req.user` has no ID/)
  })
})

describe('the boot of an application with @Idempotent()', () => {
  it('refuses @Idempotent() on routes where it has no effect', async () => {
    class Routes {
      @Idempotent() @Get() read() {}
      @Idempotent() @Post('s') @Sse(z.string()) async *stream() {
        yield 'a'
      }
      @Idempotent() @Post('u') @Upload({ file: file({ maxSize: '1mb' }) }) upload() {}
    }
    Controller('wrong')(Routes as never, undefined as never)
    const problems = await bootProblems({ controllers: [Routes] })
    expect(problems.filter(({ code }) => code === 'E_IDEMPOTENT_ROUTE')).toHaveLength(3)
  })

  it.each([{ ttl: '0s' }, { ttl: '31d' }, { ttl: 'soon' }, { required: 'yes' }, { tll: 1 }, null])(
    'refuses the options %j',
    async (options) => {
      class Routes {
        @Idempotent(options as never) @Post() write() {}
      }
      Controller('wrong')(Routes as never, undefined as never)
      const problems = await bootProblems({ controllers: [Routes] })
      expect(problems.map(({ code }) => code)).toContain('E_OPTION_INVALID')
    },
  )
})

it('the document describes @Idempotent()', async () => {
  const app = await TestApp.create({ controllers: [OrdersController] })
  const operation = app.document.paths['/orders/{id}']?.put
  expect(operation?.parameters).toContainEqual(
    expect.objectContaining({ name: 'Idempotency-Key', in: 'header', required: true }),
  )
  expect(Object.keys(operation?.responses ?? {})).toEqual(
    expect.arrayContaining(['202', '400', '409', '422', '503']),
  )
  await app.close()
})
