import {
  App,
  Auth,
  Controller,
  Get,
  inject,
  Log,
  type Plugin,
  type Request,
  type Response,
  runWithTenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

class Orders {
  private readonly log = inject(Log)

  async ship(order: string) {
    this.log.debug('begins')
    await new Promise((resolve) => setImmediate(resolve))
    this.log.info({ order }, 'Shipped')
  }

  fail(error: Error) {
    this.log.error(error, 'Not shipped')
    this.log.fatal({ err: error }, 'Over')
    this.log.trace('detail')
    this.log.warn('careful')
  }
}

@Controller('orders')
class OrdersController {
  private readonly orders = inject(Orders)

  @Auth() @Get(':id') async ship(req: Request) {
    await this.orders.ship(req.params.id)
    return runWithTenant('other', () => this.orders.ship('2'))
  }
}

const guard = {
  canActivate(req: Request) {
    req.user = { sub: 'u1' }
    return true
  },
}

const named: Plugin = {
  name: 'named',
  middlewares: [
    (req: Request, _res: Response, next: () => void) => {
      Object.assign(req, { id: 'r1' })
      next()
    },
  ],
}

describe('the logger from inject(Log)', () => {
  it('adds the fields of the current request to its lines', async () => {
    const app = await TestApp.create({
      controllers: [OrdersController],
      providers: [Orders],
      auth: { guard },
      tenant: {},
      plugins: [named],
    })
    await app.asTenant('acme').request().get('/orders/1').expect(204)
    const facts = { requestId: 'r1', user: 'u1', method: 'GET', route: '/orders/:id' }
    expect(app.logs).toEqual([
      { level: 'debug', message: 'begins', facts: { ...facts, tenant: 'acme' } },
      { level: 'info', message: 'Shipped', facts: { ...facts, tenant: 'acme', order: '1' } },
      { level: 'debug', message: 'begins', facts: { ...facts, tenant: 'other' } },
      { level: 'info', message: 'Shipped', facts: { ...facts, tenant: 'other', order: '2' } },
    ])
    await app.close()
  })

  it('keeps the fields of concurrent requests separate', async () => {
    const app = await TestApp.create({
      controllers: [OrdersController],
      providers: [Orders],
      auth: { guard },
      tenant: {},
    })
    const tenants = Array.from({ length: 20 }, (_, n) => `t${n}`)
    await Promise.all(
      tenants.map((tenant, n) => app.asTenant(tenant).request().get(`/orders/${n}`).expect(204)),
    )
    const shipped = app.logs.filter(({ facts }) => facts.tenant !== 'other' && 'order' in facts)
    expect(shipped).toHaveLength(20)
    for (const { facts } of shipped) expect(`t${facts.order}`).toBe(facts.tenant)
    await app.close()
  })

  it('logs outside requests, and maps fatal to error if the logger has three levels', async () => {
    const lines: unknown[] = []
    const write = (level: string) => (facts: object, message: string) =>
      void lines.push([level, facts, message])
    const logger = { info: write('info'), warn: write('warn'), error: write('error') }
    const app = await App.create({ providers: [Orders], logger })
    const error = new Error('broken')
    app.get(Orders).fail(error)
    expect(lines).toEqual([
      ['error', { err: error }, 'Not shipped'],
      ['error', { err: error }, 'Over'],
      ['warn', {}, 'careful'],
    ])
    await app.close()
  })

  it('never throws, and does not let a passed field replace a field of the request', async () => {
    @Controller('forge')
    class ForgeController {
      private readonly log = inject(Log)

      @Get() forge() {
        this.log.info({ requestId: 'forged', route: '/forge', order: 1 }, 'body')
        this.log.info({ requestId: 'r1', method: 'GET' }, 'same')
        this.log.info(new Proxy({}, { ownKeys: () => Object(Symbol.iterator) }), 'proxy')
        this.log.info(Object.defineProperty({}, 'boom', { enumerable: true, get: boom }), 'getter')
        this.log.error(new Error('alone') as never)
      }
    }
    const boom = () => {
      throw new Error('x')
    }
    const app = await TestApp.create({ controllers: [ForgeController], plugins: [named] })
    await app.request().get('/forge').expect(204)
    const own = { requestId: 'r1', method: 'GET', route: '/forge' }
    expect(app.logs).toEqual([
      { level: 'info', message: 'body', facts: { ...own, requestId_: 'forged', order: 1 } },
      { level: 'info', message: 'same', facts: own },
      { level: 'info', message: 'proxy', facts: own },
      { level: 'info', message: 'getter', facts: { ...own, boom: '[unreadable]' } },
      { level: 'error', message: 'alone', facts: { ...own, err: expect.any(Error) } },
    ])
    await app.close()
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no disk')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no disk'))],
  ])('does not make a request fail if the underlying logger %s', async (_, write) => {
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const logger = { info: write, warn: write, error: write }
    const app = await TestApp.create({
      controllers: [OrdersController],
      providers: [Orders],
      auth: { guard },
      tenant: {},
      logs: true,
      logger,
      onError,
      contract: 'off',
    })
    await app.asTenant('acme').request().get('/orders/1').expect(204)
    expect(errors).toEqual([])
    // A rejection that nobody handles would fail the run of the tests.
    await new Promise((resolve) => setImmediate(resolve))
    await app.close()
  })

  it('adds a step to requests only if the application injects it', async () => {
    let stack = ''
    @Controller('stack')
    class StackController {
      @Get() stack() {
        stack = new Error('here').stack ?? ''
        return 'stack'
      }
    }
    @Controller('logged')
    class LoggedController extends StackController {
      readonly log = inject(Log)
    }
    const plain = await TestApp.create({ controllers: [StackController] })
    await plain.request().get('/stack').expect(200)
    expect(stack).toContain('respond')
    expect(stack).not.toContain('steps/plugin.ts')
    expect(plain.get(Log)).toBeDefined()
    await plain.close()
    const logged = await TestApp.create({ controllers: [LoggedController] })
    await logged.request().get('/logged').expect(200)
    expect(stack).toContain('steps/plugin.ts')
    await logged.close()
  })

  it('can be replaced by testOverrides', async () => {
    const lines: string[] = []
    const write = (message: unknown) => void lines.push(String(message))
    const log = { trace: write, debug: write, info: write, warn: write, error: write, fatal: write }
    const app = await TestApp.create({
      providers: [Orders],
      testOverrides: [{ token: Log, useValue: log }],
    })
    app.get(Orders).fail(new Error('x'))
    expect(lines).toHaveLength(4)
    await app.close()
  })
})
