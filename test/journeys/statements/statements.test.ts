import { setImmediate as turn } from 'node:timers/promises'
import {
  App,
  type AppOptions,
  Auth,
  ConfigError,
  Controller,
  Get,
  inject,
  type Plugin,
  type Request,
} from 'blazon'
import {
  type NewStatement,
  type RanStatement,
  type RequestObserver,
  Statements,
} from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { typeorm } from 'blazon/typeorm'
import { DataSource } from 'typeorm'
import { afterEach, describe, expect, it } from 'vitest'
import { NoteEntity, NotesController } from '../typeorm/notes.js'

/** A database of a stranger's package, whose plugin uses what any package can. */
class Store {
  readonly #statements = inject(Statements)

  async query(statement: NewStatement, error?: Error): Promise<string[]> {
    const running = this.#statements.begin(statement)
    await turn()
    if (error !== undefined) {
      running?.fail(error)
      throw error
    }
    const rows = ['row']
    running?.end({ rows, rowCount: 1 })
    return rows
  }
}

const store: Plugin = { name: 'store', providers: [Store] }
const find = (id: number) => ({ system: 'store', text: 'find $1', values: [id] })
const failure = new Error('gone')

@Controller('work')
class WorkController {
  readonly #store = inject(Store)

  @Get(':id') one(req: Request) {
    return this.#store.query(find(Number(req.params['id'])))
  }

  @Auth() @Get('all/guarded') guarded() {
    return this.#store.query({ system: 'store', text: 'list' })
  }

  @Get('all/failing') failing() {
    return this.#store.query(find(0), failure)
  }
}

let app: TestApp | undefined

afterEach(() => app?.close())

async function observed(options: Partial<AppOptions> = {}) {
  const seen: RanStatement[] = []
  const observer: Plugin = {
    name: 'observer',
    requests: () => ({ onStatement: (statement) => void seen.push(statement) }),
  }
  app = await TestApp.create({
    controllers: [WorkController],
    logger: false,
    contract: 'off',
    ...options,
    plugins: [observer, store, ...(options.plugins ?? [])],
  })
  return { app, seen }
}

describe('the onStatement observer', () => {
  it('receives a statement with its values, result, time and request', async () => {
    const { app, seen } = await observed()
    await app.request().get('/work/7').expect(200)
    expect(seen).toHaveLength(1)
    const [{ req, startedAt, durationMs, stack, ...rest } = {} as RanStatement] = seen
    // `TestApp` itself needs the stacks.
    expect(stack).toContain('Store.query')
    expect(req?.route?.path).toBe('/work/:id')
    expect(startedAt).toBeLessThanOrEqual(app.clock.monotonic())
    expect(durationMs).toBeGreaterThanOrEqual(0)
    const result = { rows: ['row'], rowCount: 1, error: undefined }
    expect(rest).toEqual({ ...find(7), ...result, tenant: undefined })
  })

  it('receives the error of a failed statement', async () => {
    const { app, seen } = await observed()
    await app.request().get('/work/all/failing').expect(500)
    expect(seen).toMatchObject([{ error: failure, rows: null, rowCount: null }])
  })

  it('receives no request if no observer needs one', async () => {
    const seen: RanStatement[] = []
    const note = (statement: RanStatement) => void seen.push(statement)
    for (const needsRequests of [false, true]) {
      const frugal: Plugin = {
        name: 'frugal',
        requests: () => ({ onStatement: note, needsRequests }),
      }
      const opened = new App({
        controllers: [WorkController],
        plugins: [frugal, store],
        logger: false,
      })
      const { port } = await opened.listen(0, '127.0.0.1')
      expect((await fetch(`http://127.0.0.1:${port}/work/7`)).status).toBe(200)
      await opened.close()
    }
    expect(seen.map(({ text, req }) => [text, req?.route?.path])).toEqual([
      ['find $1', undefined],
      ['find $1', '/work/:id'],
    ])
  })

  it('receives the correct request for each of several concurrent statements', async () => {
    const { app, seen } = await observed()
    await Promise.all([1, 2, 3].map((id) => app.request().get(`/work/${id}`).expect(200)))
    const pairs = seen.map(({ values, req }) => [String(values[0]), req?.params['id']])
    expect(pairs.sort()).toEqual([
      ['1', '1'],
      ['2', '2'],
      ['3', '3'],
    ])
  })

  it('receives the tenant, and the request of a guard', async () => {
    const guard = {
      inject: [Store],
      canActivate: async () => (await app?.get(Store).query(find(1)))?.length === 1,
    }
    const { app: opened, seen } = await observed({
      auth: { guard },
      tenant: { authorize: () => true },
    })
    await opened.request().get('/work/all/guarded').set('x-tenant-id', 'acme').expect(200)
    expect(seen.map(({ text, req }) => [text, req?.path])).toEqual([
      ['find $1', '/work/all/guarded'],
      ['list', '/work/all/guarded'],
    ])
    expect(seen.at(-1)).toMatchObject({ values: [], tenant: 'acme' })
  })

  it('receives no request outside of routes', async () => {
    const { app, seen } = await observed()
    await app.get(Store).query(find(1))
    expect(seen).toMatchObject([{ text: 'find $1', req: undefined }])
  })

  it('receives only the statements of its own application', async () => {
    const first = await observed()
    const second = await observed()
    await first.app.get(Store).query(find(1))
    expect([first.seen.length, second.seen.length]).toEqual([1, 0])
    await first.app.close()
  })

  it('changes no response if it throws', async () => {
    const plugins: Plugin[] = [
      {
        name: 'throws',
        requests: () => ({
          onStatement() {
            throw new Error('observer')
          },
        }),
      },
    ]
    const { app, seen } = await observed({ plugins })
    await app.request().get('/work/7').expect(200)
    expect(seen).toHaveLength(1)
  })

  it('must be a function', async () => {
    const wrong = { onStatement: 'no' } as unknown as RequestObserver
    const plugins = [{ name: 'wrong', requests: () => wrong }]
    await expect(App.create({ plugins })).rejects.toThrow(ConfigError)
  })

  it('is necessary: without it, no statement is recorded', async () => {
    const app = await App.create({ controllers: [WorkController], plugins: [store] })
    expect(app.get(Statements).areObserved).toBe(false)
    expect(app.get(Statements).begin(find(1))).toBeNull()
    expect((await app.fetch(new Request('http://localhost/work/7'))).status).toBe(200)
    await app.close()
  })
})

describe('the package blazon/typeorm', () => {
  const inMemory = typeorm({ type: 'sqljs', entities: [NoteEntity], synchronize: true })
  const notes = { controllers: [NotesController], plugins: [inMemory] }

  it('reports its statements, but no BEGIN and COMMIT', async () => {
    const { app, seen } = await observed(notes)
    await app.request().post('/notes').send({ text: 'Buy milk' }).expect(201)
    await app.request().get('/notes').expect(200)
    const [insert, ...others] = seen
    expect(insert).toMatchObject({ system: 'sqlite', values: ['Buy milk'], error: undefined })
    expect(insert?.text).toMatch(/^INSERT INTO "note"/)
    expect(others.map(({ text }) => text.split(' ')[0])).toEqual(['SELECT'])
    expect(seen.every(({ req }) => req?.route?.path === '/notes')).toBe(true)
    expect(others.at(-1)).toMatchObject({ rowCount: 1 })
  })

  it('reports the error of a statement', async () => {
    const { app, seen } = await observed(notes)
    await app.request().post('/notes').send({ text: 'Buy milk' }).expect(201)
    seen.length = 0
    await app.request().post('/notes').send({ text: 'Buy milk' }).expect(500)
    expect(seen.map(({ error }) => error instanceof Error)).toEqual([true])
  })

  it('reports statements that run at the same time', async () => {
    const { app, seen } = await observed(notes)
    const source = app.get(DataSource)
    await Promise.all([
      source.query('select 1'),
      source.query('select 1'),
      source.query('select 2'),
    ])
    expect(seen.map(({ text }) => text).sort()).toEqual(['select 1', 'select 1', 'select 2'])
  })
})
