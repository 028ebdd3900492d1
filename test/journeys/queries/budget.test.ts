import {
  App,
  ConfigError,
  Controller,
  Get,
  inject,
  type Plugin,
  Queries,
  type Request,
} from 'blazon'
import { Statements } from 'blazon/plugin'
import { QueryBudgetError, TestApp, type TestOptions } from 'blazon/testing'
import { typeorm } from 'blazon/typeorm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { NoteEntity, NotesController } from '../typeorm/notes.js'

/** A database of anybody. */
class Store {
  readonly #statements = inject(Statements)

  async query(text: string, values: readonly unknown[] = []): Promise<unknown[]> {
    const running = this.#statements.begin({ system: 'store', text, values })
    await null
    running?.end({ rows: [], rowCount: 0 })
    return []
  }
}

const store: Plugin = { name: 'store', providers: [Store] }
const ITEMS = 'select * from items where order_id = $1'
const ids = (count: number) => Array.from({ length: count }, (_, id) => id)

@Controller('orders')
class OrdersController {
  readonly #store = inject(Store)

  @Get('loop') async loop() {
    await this.#store.query('select * from orders')
    for (const id of ids(10)) await this.#store.query(ITEMS, [id])
    return 'done'
  }

  @Get('all') async all() {
    await Promise.all(ids(12).map((id) => this.#store.query(ITEMS, [id])))
    return 'done'
  }

  @Get('few') async few(req: Request) {
    for (const id of ids(Number(req.query['count'] ?? 9))) await this.#store.query(ITEMS, [id])
    return 'done'
  }

  @Get('batch') async batch() {
    for (const count of ids(20)) {
      const places = ids(count + 1).map((id) => `$${id + 1}`)
      await this.#store.query(`select * from items where order_id in (${places})`, ids(count + 1))
    }
    return 'done'
  }

  @Queries(3) @Get('allowed') async allowed(req: Request) {
    for (const id of ids(Number(req.query['count']))) await this.#store.query(`select ${id}`)
    return 'done'
  }

  @Queries(0) @Get('none') async none(req: Request) {
    for (const id of ids(Number(req.query['count']))) await this.#store.query(`select ${id}`)
    return 'done'
  }

  @Queries(15) @Get('many') async many() {
    for (const id of ids(12)) await this.#store.query(ITEMS, [id])
    return 'done'
  }
}

let app: TestApp | undefined

afterEach(async () => {
  await app?.close()
  app = undefined
})

async function start(options: TestOptions = {}) {
  app = await TestApp.create({
    controllers: [OrdersController],
    plugins: [store],
    contract: 'off',
    ...options,
  })
  return app
}

async function failureOf(path: string): Promise<QueryBudgetError> {
  const failure = await (app as TestApp)
    .request()
    .get(path)
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  expect(failure).toBeInstanceOf(QueryBudgetError)
  return failure as QueryBudgetError
}

describe('a statement that runs ten times in one request', () => {
  it('is added to the message of a failed assertion, and not reported again at the end', async () => {
    const made = await start()
    const error: Error = await made
      .request()
      .get('/orders/loop')
      .expect(404)
      .then(
        () => new Error('none'),
        (each) => each,
      )
    expect(error).not.toBeInstanceOf(QueryBudgetError)
    for (const text of [error.message, error.stack as string]) {
      expect(text).toMatch(/^(?:Error: )?expected 404 "Not Found", got 200 "OK"/)
      expect(text).toContain(
        'In addition: QueryBudgetError: OrdersController.loop (GET /orders/loop)',
      )
    }
    // A `SuppressedError` of both would have no message.
    await expect(made.close()).resolves.toBeUndefined()
  })

  it('makes the test fail with an error that contains the route, the statement, the file and the line', async () => {
    await start()
    const { message, route } = await failureOf('/orders/loop')
    expect(route).toBe('OrdersController.loop')
    expect(message).toContain(
      'OrdersController.loop (GET /orders/loop) has too many statements or calls.',
    )
    expect(message).toContain(`It ran the same statement 10 times:\n  ${ITEMS}\n    at `)
    expect(message).toMatch(
      /at test\/journeys\/queries\/budget\.test\.ts:22:38\n {4}at test\/journeys\/queries\/budget\.test\.ts:39:\d+\n/,
    )
  })

  it('also makes the test fail if it runs in Promise.all', async () => {
    await start()
    const { message } = await failureOf('/orders/all')
    expect(message).toContain('It ran the same statement 12 times')
    expect(message).toMatch(
      /at test\/journeys\/queries\/budget\.test\.ts:22:38\n {4}at test\/journeys\/queries\/budget\.test\.ts:44:\d+\n/,
    )
  })

  it('makes app.fetch() reject', async () => {
    const { fetch } = await start()
    await expect(fetch('/orders/loop')).rejects.toBeInstanceOf(QueryBudgetError)
  })

  it('causes no error if it runs nine times, has lists of different lengths, or follows a failed assertion', async () => {
    const { request } = await start()
    await app?.request().get('/orders/few').expect(200)
    await app?.request().get('/orders/batch').expect(200)
    const failure = await app
      ?.request()
      .get('/orders/loop')
      .expect(404)
      .catch((error: Error) => error)
    expect(failure).not.toBeInstanceOf(QueryBudgetError)
    expect((failure as Error).message).toContain('queries     repeated')
    expect(request).toBeDefined()
    // The message of the assertion has the finding, too.
    await expect(app?.close()).resolves.toBeUndefined()
    app = undefined
  })

  it('is counted separately for each request', async () => {
    const test = await start()
    await Promise.all(ids(4).map(() => test.request().get('/orders/few').expect(200)))
  })

  it('makes close() fail if the request comes from another client', async () => {
    const test = await start()
    const { port } = await test.listen(0, '127.0.0.1')
    const url = `http://127.0.0.1:${port}/orders/loop`
    await globalThis.fetch(url).then((response) => response.text())
    await globalThis.fetch(url).then((response) => response.text())
    await expect(test.close()).rejects.toThrow(/OrdersController\.loop .* has too many statements/)
    app = undefined
  })
})

describe('the queries option', () => {
  it('changes the limit, and can disable the check', async () => {
    await start({ queries: { repeats: 3 } })
    expect((await failureOf('/orders/few?count=3')).message).toContain('3 times')
    await app?.close()
    const test = await start({ queries: false })
    await test.request().get('/orders/loop').expect(200)
    await test.request().get('/orders/allowed?count=9').expect(200)
  })

  it.each([
    [{ queries: true as never }, 'Pass false, or { repeats, summary }'],
    [{ queries: { repeats: 0 } }, 'Pass a whole number above 0'],
    [{ queries: { summary: 1 as never } }, 'Pass true or false'],
    [{ queries: { repeat: 5 } as never }, 'The valid options are: repeats, summary'],
  ])('refuses %j', async (options, remedy) => {
    const error = await TestApp.create(options).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(String(error)).toContain(remedy)
  })
})

describe('the @Queries decorator', () => {
  it('sets a maximum, and the error for a higher number lists the statements', async () => {
    const test = await start()
    await test.request().get('/orders/allowed?count=3').expect(200)
    const { message } = await failureOf('/orders/allowed?count=4')
    expect(message).toContain('It ran 4 statements, but @Queries allows 3:')
    expect(message).toContain('  select 0\n    at test/journeys/queries/budget.test.ts:22:')
  })

  it('can forbid every statement', async () => {
    const test = await start()
    await test.request().get('/orders/none?count=0').expect(200)
    const { message } = await failureOf('/orders/none?count=1')
    expect(message).toContain('but @Queries allows 0:')
  })

  it('causes a decision in the record of a request that exceeds it', async () => {
    const test = await start({ queries: false })
    const record = test.explain(await test.request().get('/orders/none?count=2'))
    expect(record.decisions.filter(({ by }) => by === 'queries')).toMatchObject([
      {
        verdict: 'exceeded',
        reason: '@Queries allows 0 statements and calls, but 2 ran',
        facts: { count: 2, most: 0 },
      },
    ])
  })

  it('allows repetitions of a statement', async () => {
    const test = await start()
    await test.request().get('/orders/many').expect(200)
  })

  it('is inherited, and replaced by a decorator on a method', async () => {
    @Queries(1)
    class Base {
      readonly store = inject(Store)
      @Get('one') async one() {
        await this.store.query('select 1')
        await this.store.query('select 2')
        return 'done'
      }
      @Queries(2) @Get('two') async two() {
        return this.one()
      }
    }
    @Controller('derived')
    class DerivedController extends Base {}
    const test = await start({ controllers: [DerivedController] })
    expect((await failureOf('/derived/one')).message).toContain('@Queries allows 1')
    await test.request().get('/derived/two').expect(200)
  })

  it('accepts only a whole number, and must not be repeated', async () => {
    @Controller('wrong')
    class WrongController {
      @Queries(-1) @Get('a') a() {}
      @Queries(1.5) @Get('b') b() {}
      @Queries('3' as never) @Get('c') c() {}
      @Queries(3) @Queries(4) @Get('d') d() {}
    }
    const error = String(await App.create({ controllers: [WrongController] }).catch((e) => e))
    for (const [name, value] of [
      ['a', '-1'],
      ['b', '1.5'],
      ['c', "'3'"],
    ]) {
      expect(error).toContain(`[E_OPTION_INVALID] WrongController.${name} @Queries`)
      expect(error).toContain(`${value} is not a valid number of statements.`)
    }
    expect(error).toContain('It has 2 @Queries')
  })

  it('has no effect without a TestApp', async () => {
    const plain = await App.create({
      controllers: [OrdersController],
      plugins: [store],
      logger: false,
    })
    const response = await plain.fetch(new Request('http://localhost/orders/allowed?count=9'))
    expect(response.status).toBe(200)
    await plain.close()
  })
})

describe('the query report', () => {
  it('contains the fewest, the median and the most statements of each route', async () => {
    const test = await start()
    for (const count of [1, 2, 9]) await test.request().get(`/orders/few?count=${count}`)
    await test.request().get('/orders/many')
    expect(test.queryReport()).toEqual([
      {
        name: 'OrdersController.few',
        method: 'GET',
        path: '/orders/few',
        requests: 3,
        min: 1,
        median: 2,
        max: 9,
        allowed: null,
      },
      expect.objectContaining({ path: '/orders/many', requests: 1, median: 12, allowed: 15 }),
    ])
  })

  it('is printed with the summary option', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const test = await start({ queries: { summary: true } })
    await test.request().get('/orders/many')
    await test.close()
    const printed = write.mock.calls.map(([text]) => String(text)).join('')
    write.mockRestore()
    expect(printed).toContain(
      'Statements (fewest / median / most):\n  GET /orders/many  12 / 12 / 12  1 request\n',
    )
  })
})

describe('the package blazon/typeorm', () => {
  const inMemory = typeorm({ type: 'sqljs', entities: [NoteEntity], synchronize: true })

  @Controller('lists')
  class ListsController extends NotesController {
    @Get('loop/of/notes') async loop() {
      for (const id of ids(10)) {
        await this.getById({ params: { id } } as never).catch(() => null)
      }
    }
  }

  it('detects a loop, even if the statements contain numbers', async () => {
    await start({ controllers: [ListsController], plugins: [inMemory] })
    const { message } = await failureOf('/lists/loop/of/notes')
    expect(message).toContain('It ran the same statement 10 times:\n  SELECT "Note"')
    expect(message).toMatch(
      /at test\/journeys\/(queries\/budget\.test|typeorm\/notes)\.ts:\d+:\d+\n/,
    )
  })
})
