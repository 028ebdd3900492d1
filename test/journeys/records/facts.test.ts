import {
  App,
  Controller,
  Get,
  inject,
  Log,
  type Plugin,
  type Request,
  RequestRecords,
} from 'blazon'
import { noteOf, Statements } from 'blazon/plugin'
import { TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { REQUEST_IDS, USERS } from '../../identities.js'

/** Runs a function in a request, and returns the record of the request. */
async function recordOf(
  run: (req: Request, statements: Statements, log: Log) => unknown,
  options: TestOptions = {},
) {
  @Controller('run')
  class RunController {
    readonly #statements = inject(Statements)
    readonly #log = inject(Log)
    @Get() async run(req: Request) {
      await run(req, this.#statements, this.#log)
      return []
    }
  }
  const app = await TestApp.create({
    controllers: [RunController],
    contract: 'off',
    queries: false,
    ...options,
  })
  onTestFinished(() => app.close())
  return app.explain(await app.request().get('/run'))
}

const factsOf = async (facts: object) => {
  const note = { by: 'own', verdict: 'noted', facts: facts as never }
  const record = await recordOf((req) => noteOf(req)?.(note))
  return record.decisions.find(({ by }) => by === 'own')?.facts
}

describe('the facts of a decision in a record', () => {
  it('are plain data of a limited size and depth', async () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 8; level++) deep = { deep }
    const unreadable = {
      get boom() {
        throw new Error('own getter')
      },
    }
    const found = await factsOf({
      text: 'x'.repeat(2001),
      list: Array.from({ length: 101 }, (_, n) => n),
      fields: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, n])),
      deep,
      unreadable,
      none: undefined,
      isTrue: true,
      nothing: null,
      infinite: Number.POSITIVE_INFINITY,
      token: 'canary',
      flags: { token: true },
    })
    const { text, list, fields, ...others } = found as Record<string, never>
    expect([text, list, Object.keys(fields ?? {})].map((each) => each?.['length'])).toEqual([
      2000, 100, 100,
    ])
    expect(others).toEqual({
      deep: { deep: { deep: { deep: { deep: { deep: '[object Object]' } } } } },
      unreadable: 'a value that cannot be read',
      none: 'undefined',
      isTrue: true,
      nothing: null,
      infinite: 'Infinity',
      token: '[secret]',
      flags: { token: true },
    })
  })

  it('are empty if they are no object', async () => {
    expect(await factsOf([1] as never)).toEqual({})
    expect(await factsOf('text' as never)).toEqual({})
    expect(await factsOf(undefined as never)).toEqual({})
  })
})

describe('the user in a record', () => {
  it.each(USERS)('is %s', async (_, user, expected) => {
    const record = await recordOf((req) => {
      req.user = user as never
    })
    expect(record.user).toBe(expected)
  })
})

describe('the request id in a record', () => {
  it.each(REQUEST_IDS)('is %s', async (_, id, expected) => {
    const named: Plugin = {
      name: 'named',
      middlewares: [
        (req: Request, _res: unknown, next: () => void) => {
          Object.defineProperty(req, 'id', { value: id })
          next()
        },
      ],
    }
    expect((await recordOf(() => {}, { plugins: [named] })).id).toBe(expected)
  })
})

describe('a record', () => {
  it('has the last of several errors', async () => {
    const record = await recordOf((req) => {
      for (const verdict of ['FIRST', 'LAST'])
        noteOf(req)?.({ by: 'error', verdict, facts: { status: 500, name: 'Error' } })
    })
    expect(record.error?.code).toBe('LAST')
  })

  it('lists statements by the time at which they began, with their errors of any kind', async () => {
    const record = await recordOf((_req, statements) => {
      const begin = (text: string) => statements.begin({ system: 'store', text })
      const [first, second, third] = [begin('select\n  1 '), begin('x'.repeat(2001)), begin('c')]
      third?.fail('gone')
      second?.fail(Object.create(null))
      first?.end({ rows: [1], rowCount: 1 })
    })
    expect(
      record.statements.map(({ text, error, rowCount, valueCount }) => {
        return [text, error, rowCount, valueCount]
      }),
    ).toEqual([
      ['select 1', null, 1, 0],
      ['x'.repeat(2000), 'an error that cannot be read', null, 0],
      ['c', 'gone', null, 0],
    ])
    expect(record.statements[0]).toMatchObject({ system: 'store', tenant: null })
  })

  it('shows repeated statements whose literals differ', async () => {
    const record = await recordOf((_req, statements) => {
      for (let n = 0; n < 10; n++) {
        const text = `select ${n}.5 from a where b = '${"it''s ".repeat(n % 3)}' and c2 = 1`
        statements.begin({ system: 'store', text })?.end({ rows: [], rowCount: 0 })
        const other = { system: 'store', text: `select c${n}` }
        statements.begin(other)?.end({ rows: [], rowCount: 0 })
      }
    })
    expect(record.decisions.filter(({ by }) => by === 'queries')).toMatchObject([
      {
        verdict: 'repeated',
        reason: 'the same statement ran 10 times',
        facts: { times: 10, text: "select 0.5 from a where b = '' and c2 = 1" },
      },
    ])
  })
})

it('the stored records are listed as a copy, and the newest one with an id is found', async () => {
  @Controller('broken')
  class BrokenController {
    @Get() broken(req: Request) {
      throw new Error(String(req.query['n']))
    }
  }
  const app = await TestApp.create({
    controllers: [BrokenController],
    records: { keep: 3 },
    contract: 'off',
    middlewares: [
      (req: Request, _res: unknown, next: () => void) => {
        Object.assign(req, { id: 'the-same-id' })
        next()
      },
    ],
  })
  onTestFinished(() => app.close())
  for (const n of [1, 2]) {
    await app.request().get(`/broken?n=${n}`).expect(500)
  }
  const records = app.get(RequestRecords)
  const list = records.list() as unknown[]
  expect(records.list().map(({ error }) => error?.message)).toEqual(['2', '1'])
  list.length = 0
  expect(records.list()).toHaveLength(2)
  expect(records.find('the-same-id')?.error?.message).toBe('2')
})

it('a record contains at most 500 statements and 300 decisions of a loop, but the number of all statements', async () => {
  @Controller('many')
  class ManyController {
    readonly #statements = inject(Statements)
    @Get() many(req: Request) {
      for (let n = 0; n < 501; n++) {
        const statement = { system: 'store', text: `select ${n}` }
        this.#statements.begin(statement)?.end({ rows: [], rowCount: 0 })
        noteOf(req)?.({ by: 'own', verdict: `${n}` })
      }
      throw new Error('The loop has ended')
    }
  }
  // Without a TestApp, because that reads the stack of each statement.
  const options = { controllers: [ManyController], records: { keep: 1 }, logger: false } as const
  const app = await App.create(options)
  onTestFinished(() => app.close())
  await app.fetch(new globalThis.Request('http://localhost/many'))
  const [record] = app.get(RequestRecords).list()
  expect([record?.statements.length, record?.statementCount]).toEqual([500, 501])
  expect(record?.statements.at(-1)?.text).toBe('select 499')
  expect(record?.decisions.filter(({ by }) => by === 'own')).toHaveLength(300)
})
