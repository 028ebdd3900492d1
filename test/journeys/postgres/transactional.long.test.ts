import { EventEmitter, once } from 'node:events'
import {
  BaseController,
  ConfigError,
  Controller,
  Get,
  getTenantId,
  inject,
  JsonLines,
  type Middleware,
  Post,
  type Request,
  type Response,
} from 'blazon'
import { Database, postgres, Transactional } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

class Notes {
  readonly db = inject(Database)

  add(text: string) {
    return this.db.sql`insert into notes (text) values (${text})`
  }

  async texts() {
    const rows = await this.db.sql<{ text: string }>`select text from notes order by text`
    return rows.map(({ text }) => text)
  }

  @Transactional()
  async addBoth(first: string, second: string | null) {
    await this.add(first)
    await this.add(second as string)
    return 'both'
  }
}

@Controller('notes')
class NotesController extends BaseController {
  readonly notes = inject(Notes)

  @Get()
  list() {
    return this.notes.texts()
  }

  @Post('plain/:text')
  async plain({ params }: Request<{ text: string }>) {
    await this.notes.add(params.text)
    throw new Error('after the fact')
  }

  @Transactional()
  @Post('whole/:text')
  async whole({ params }: Request<{ text: string }>) {
    await this.notes.add(params.text)
    throw new Error('after the fact')
  }

  @Post('answered/:text')
  @Transactional()
  async answered({ params }: Request<{ text: string }>, res: Response) {
    await this.notes.add(params.text)
    return this.ok(res, 'Noted', params.text, 201)
  }

  @Transactional()
  @Post('status/:status')
  async status({ params }: Request<{ status: string }>, res: Response) {
    await this.notes.add(params.status)
    res.status(Number(params.status)).json({ sent: true })
  }

  @Post('streamed/:text')
  @Transactional()
  async streamed({ params }: Request<{ text: string }>, res: Response) {
    await this.notes.add(params.text)
    res.write('begun, ')
    await new Promise((resolve) => res.once('drain', resolve))
    res.end((await this.notes.texts()).join())
  }

  @Post('slow/:text')
  @Transactional()
  async slow({ params }: Request<{ text: string }>) {
    await this.notes.add(params.text)
    signals.emit('written')
    await once(signals, 'go')
    return 'slow'
  }

  @Transactional()
  @Get('streamed-texts')
  @JsonLines(z.string())
  async *streamedTexts() {
    await this.notes.add('streamed')
    yield* await this.notes.texts()
    await this.notes.add(null as unknown as string)
  }

  @Get('streamed-whole')
  @JsonLines(z.string())
  @Transactional()
  async *streamedWhole() {
    await this.notes.add('streamed')
    yield* await this.notes.texts()
  }

  @Post('both/:text')
  both({ params }: Request<{ text: string }>) {
    return this.notes.addBoth(params.text, null)
  }
}

const signals = new EventEmitter()

/** Passes an error to `next` after the handler has written a row, or in place of its response. */
const failLate: Middleware = (req, res, next: (error?: unknown) => void) => {
  const fail = () => next(new Error('late'))
  if (req.get('x-late') === 'written') signals.once('written', () => setImmediate(fail))
  if (req.get('x-late') === 'answered') {
    const { json } = res
    res.json = () => {
      res.json = json
      fail()
      return res
    }
  }
  next()
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({
    controllers: [NotesController],
    providers: [Notes],
    plugins: [postgres({ embedded: 'memory' })],
    middlewares: [failLate],
    logger: false,
    // The document does not describe the stream.
    contract: 'off',
  })
  await app.get(Database).sql`create table notes (text text not null)`
})
beforeEach(() => app.get(Database).sql`truncate notes`)
afterAll(() => app.close())

const post = (path: string) => app.request().post(`/notes/${path}`)
const texts = async () => (await app.request().get('/notes')).body.data

describe('a method with @Transactional()', () => {
  it('saves nothing when the handler throws', async () => {
    expect((await post('plain/kept')).status).toBe(500)
    expect((await post('whole/lost')).status).toBe(500)
    expect(await texts()).toEqual(['kept'])
  })

  it('commits before the response is sent', async () => {
    const { status, body } = await post('answered/a')
    expect([status, body.data]).toEqual([201, 'a'])
    expect(await texts()).toEqual(['a'])
  })

  it('saves nothing when a late middleware error has ended the request', async () => {
    expect((await post('slow/lost').set('x-late', 'written')).status).toBe(500)
    signals.emit('go')
    expect((await post('answered/lost').set('x-late', 'answered')).status).toBe(500)
    expect(await texts()).toEqual([])
  })

  it.each([
    [200, true],
    [302, true],
    [400, true],
    [409, true],
    [499, true],
    [500, false],
    [503, false],
  ])(
    'saves its statements only if the status of the response is below 500: %d',
    async (status, isSaved) => {
      expect((await app.request().post(`/notes/status/${status}`)).status).toBe(status)
      expect(await texts()).toEqual(isSaved ? [String(status)] : [])
    },
  )

  it('commits before the first byte of a stream and allows later queries', async () => {
    const { text } = await post('streamed/a')
    expect(text).toBe('begun, a')
  })

  it('saves all or no statements of a service method', async () => {
    expect((await post('both/a')).status).toBe(500)
    expect(await texts()).toEqual([])
    expect(await app.get(Notes).addBoth('a', 'b')).toBe('both')
    expect(await texts()).toEqual(['a', 'b'])
  })

  it('keeps its name and its number of parameters', () => {
    const { addBoth } = Notes.prototype
    expect([addBoth.name, addBoth.length]).toEqual(['addBoth', 2])
  })

  it('ends its transaction at the end of an async generator', async () => {
    const cut = await app.fetch('/notes/streamed-texts')
    await expect(cut.text()).rejects.toThrow()
    expect(await app.get(Notes).texts()).toEqual([])
    const whole = await app.fetch('/notes/streamed-whole')
    expect(await whole.text()).toBe('"streamed"\n')
    expect(await app.get(Notes).texts()).toEqual(['streamed'])
    await expect(app.get(Database).transaction(() => [1].values())).rejects.toThrow(/db\.stream/)
  })

  it('throws when the container did not create its object', async () => {
    const byHand = Object.create(Notes.prototype) as Notes
    await expect(byHand.addBoth('a', 'b')).rejects.toThrow(
      /@Transactional\(\) on addBoth.*the container did not create the object/,
    )
  })

  it('cannot be a class, a field or a synchronous generator, and needs parentheses after the decorator', () => {
    const decorate = Transactional() as (...args: unknown[]) => unknown
    expect(() => decorate(class {}, { kind: 'class', name: 'Notes' })).toThrow(ConfigError)
    expect(() => decorate(class {})).toThrow(ConfigError)
    expect(() => decorate({}, 'field')).toThrow(ConfigError)
    expect(() => (Transactional as unknown as typeof decorate)({}, 'method', {})).toThrow(
      /without parentheses/,
    )
    const value = function* () {
      yield 1
    }
    expect(() => decorate({}, 'method', { value })).toThrow(/write `async \*`/)
  })
})

describe('a transaction after a statement that PostgreSQL refused', () => {
  it('fails with the first refusal as the cause, even if the error was caught', async () => {
    const db = app.get(Database)
    const failed = db.transaction(async () => {
      await db.sql`insert into notes (text) values (null)`.catch(() => {})
      await db.sql`select 1`
    })
    const error = await failed.catch((reason) => reason)
    expect(error.message).toMatch(
      /^Nothing was saved: .*Put a statement that can be refused into a nested db.transaction\(\)/,
    )
    expect(error.cause).toMatchObject({ code: '23502', column: 'text' })
    const swallowed = await db
      .transaction(() => db.sql`insert into notes (text) values (null)`.catch(() => {}))
      .catch((reason) => reason)
    expect([swallowed.message, swallowed.cause.code]).toEqual([error.message, '23502'])
  })
})

describe('a function that is passed to afterCommit()', () => {
  it('runs after the outermost commit, or immediately outside of a transaction', async () => {
    const db = app.get(Database)
    const order: string[] = []
    await db.transaction(async () => {
      await db.transaction(() => db.afterCommit(() => order.push('inner')))
      await db
        .transaction(async () => {
          await db.afterCommit(() => order.push('undone'))
          throw new Error('undone')
        })
        .catch(() => {})
      await db.afterCommit(async () => {
        order.push(`outer sees ${(await db.sql`select 1`).length}`)
      })
      order.push('end')
    })
    await db.afterCommit(() => order.push('at once'))
    expect(order).toEqual(['end', 'inner', 'outer sees 1', 'at once'])
  })

  it('runs as the tenant of the transaction, and can start another transaction', async () => {
    const db = app.get(Database)
    const seen: unknown[] = []
    await db.withTenantTransaction('acme', () =>
      db.afterCommit(async () => {
        seen.push(getTenantId())
        await db.withTenantTransaction('acme', () => seen.push('another transaction'))
      }),
    )
    expect(seen).toEqual(['acme', 'another transaction'])
  })

  it('does not run when the transaction is rolled back', async () => {
    const db = app.get(Database)
    const order: string[] = []
    const failed = db.transaction(async () => {
      await db.afterCommit(() => order.push('saved'))
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(order).toEqual([])
  })

  it('does not undo statements when it fails', async () => {
    const db = app.get(Database)
    await db.transaction(async () => {
      await db.sql`insert into notes (text) values ('kept')`
      await db.afterCommit(() => Promise.reject(new Error('no')))
    })
    expect(await texts()).toEqual(['kept'])
  })
})
