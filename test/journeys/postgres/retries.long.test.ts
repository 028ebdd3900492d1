import {
  App,
  BaseController,
  ConfigError,
  Controller,
  Get,
  getTenantId,
  HttpCode,
  type Interceptor,
  inject,
  Post,
  type Request,
  type Response,
  Tenant,
} from 'blazon'
import { Database, postgres, Transactional, type TransactionOptions } from 'blazon/postgres'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startPgliteFromTemplate } from '../../pglite-template.js'

startPgliteFromTemplate()

/** `clash` refuses so many calls with a code, and the trigger so many commits. A sequence is not rolled back. */
const SCHEMA = `
  create sequence calls;
  create table notes (text text not null);
  create function clash(times integer, code text) returns integer language plpgsql as $$
    declare call integer := nextval('calls');
    begin
      if call <= times then raise exception using errcode = code, message = 'clash'; end if;
      return call;
    end $$;
  create table late (times integer not null, code text not null);
  create function clash_late() returns trigger language plpgsql as $$
    begin perform clash(new.times, new.code); return new; end $$;
  create constraint trigger clash_late after insert on late deferrable initially deferred
    for each row execute function clash_late();
  grant all on notes, late, calls to public;`

const RETRIED = { isolation: 'serializable', retries: 2 } as const
const CONFLICT = { status: 503, body: { code: 'DATABASE_CONFLICT' } }

/** Changes what each attempt returns. */
const upper: Interceptor = {
  async intercept(_req, next) {
    const value = await next()
    return typeof value === 'string' ? value.toUpperCase() : value
  },
}

let attempts = 0
let leftOver: Promise<unknown>[] = []

abstract class Clashes extends BaseController {
  protected readonly db = inject(Database)

  protected async clash({ query }: Request, name = 'clash') {
    attempts++
    await this.db.sql`insert into notes (text) values (${`${name} ${attempts}`})`
    const { times = '0', code = '40001' } = query as Record<string, string>
    if (query['at'] === 'commit')
      await this.db.sql`insert into late (times, code) values (${times}, ${code})`
    else await this.db.sql`select clash(${times}, ${code})`
    return `after ${attempts}`
  }
}

@Controller('clashes')
class ClashesController extends Clashes {
  @Post('returned')
  @HttpCode(201)
  @Transactional(RETRIED)
  async returned(req: Request, res: Response) {
    res.append('X-Attempt', String(attempts + 1))
    await this.db.afterCommit(() => res.append('X-Saved', String(attempts)))
    return await this.clash(req)
  }

  @Transactional(RETRIED)
  @Post('sent')
  async sent(req: Request, res: Response) {
    return this.ok(res, 'Sent', await this.clash(req))
  }

  @Transactional(RETRIED)
  @Post('nothing')
  async nothing(req: Request) {
    await this.clash(req)
  }

  @Transactional(RETRIED)
  @Post('written')
  async written(req: Request, res: Response) {
    await this.db.sql`select 1`
    res.write('begun')
    await new Promise((resolve) => res.once('drain', resolve))
    await this.clash(req)
    res.end()
  }

  @Transactional(RETRIED)
  @Post('caught')
  async caught(req: Request) {
    return await this.clash(req).catch(() => 'caught')
  }

  @Transactional(RETRIED)
  @Post('floating')
  async floating(req: Request) {
    const name = `floating ${attempts + 1}`
    const failed = this.clash(req)
    const late = failed.catch(() => {}).then(() => this.db.sql`select 1`)
    leftOver.push(
      late
        .then(() => new Promise((resolve) => setImmediate(resolve)))
        .catch(() => {})
        .then(() => this.db.sql`insert into notes (text) values (${name})`)
        .catch((error: unknown) => error),
    )
    return await failed
  }

  @Post('once')
  async once(req: Request) {
    return await this.db.transaction(() => this.clash(req))
  }

  @Post('block')
  async block(req: Request) {
    return await this.db.transaction(() => this.clash(req), RETRIED)
  }

  @Transactional(RETRIED)
  @Get('level')
  async level() {
    const [row] = await this.db.sql`select current_setting('transaction_isolation') as level`
    const nested = await this.db.transaction(
      () => this.db.sql`select current_setting('transaction_isolation') as level`,
      { isolation: 'serializable' },
    )
    return [row, ...nested].map((each) => each?.['level'])
  }

  @Transactional()
  @Get('another-level')
  async anotherLevel() {
    return await this.db.transaction(async () => 1, { isolation: 'serializable' })
  }
}

@Tenant()
@Controller('tenants')
class TenantsController extends Clashes {
  @Post('returned')
  @Transactional(RETRIED)
  async returned(req: Request) {
    return `${getTenantId()} ${await this.clash(req)}`
  }

  @Post('plain')
  async plain(req: Request) {
    return await this.clash(req)
  }
}

const logged: unknown[] = []

describe('a transaction that conflicts with others', () => {
  let app: TestApp
  let db: Database

  beforeAll(async () => {
    app = await TestApp.create({
      controllers: [ClashesController, TenantsController],
      interceptors: [upper],
      plugins: [postgres({ embedded: 'memory' })],
      tenant: { required: false },
      logger: { info() {}, warn() {}, error: (facts: object) => void logged.push(facts) },
      contract: 'throw',
    })
    db = app.get(Database)
    await db.withoutTenant('set-up', async () => {
      await db.sql`set local role none`
      for (const text of SCHEMA.split(/;\n {2}(?=\S)|;$/)) if (text.trim()) await db.query(text)
    })
  })
  afterAll(() => app?.close())
  beforeEach(async () => {
    attempts = 0
    leftOver = []
    logged.length = 0
    await asAll(() => db.sql`delete from notes`)
    await asAll(() => db.sql`select setval('calls', 1, false)`)
  })

  const asAll = <T>(run: () => Promise<T>) => db.withoutTenant('the test', run)
  const notes = async () =>
    (await asAll(() => db.sql<{ text: string }>`select text from notes order by text`)).map(
      ({ text }) => text,
    )
  const post = (path: string, tenant?: string) =>
    (tenant === undefined ? app : app.asTenant(tenant)).request().post(path)

  describe.each(['statement', 'commit'])('at a %s', (at) => {
    it.each(['returned', 'sent', 'block'])('is repeated: %s', async (name) => {
      for (const code of ['40001', '40P01']) {
        attempts = 0
        await asAll(() => db.sql`select setval('calls', 1, false)`)
        await asAll(() => db.sql`delete from notes`)
        const { status, body } = await post(`/clashes/${name}?at=${at}&times=2&code=${code}`)
        expect({ status, data: body.data }).toEqual({
          status: name === 'returned' ? 201 : 200,
          data: name === 'sent' ? 'after 3' : 'AFTER 3',
        })
        expect(await notes()).toEqual(['clash 3'])
        expect(logged).toEqual([])
      }
    })

    it('is repeated for a handler that returns nothing', async () => {
      expect(await post(`/clashes/nothing?at=${at}&times=1`)).toMatchObject({ status: 204 })
      expect(await notes()).toEqual(['clash 2'])
    })

    it('is repeated for the same tenant', async () => {
      const { body } = await post(`/tenants/returned?at=${at}&times=1`, 'acme')
      expect(body.data).toBe('ACME AFTER 2')
      expect(await notes()).toEqual(['clash 2'])
    })

    it('is repeated without the response headers of the failed attempts', async () => {
      const { headers } = await post(`/clashes/returned?at=${at}&times=2`)
      expect([headers['x-attempt'], headers['x-saved']]).toEqual(['3', '3'])
    })

    it.each(['returned', 'sent', 'block'])(
      'results in a 503 response after all retries: %s',
      async (name) => {
        const response = await post(`/clashes/${name}?at=${at}&times=9`)
        expect(response).toMatchObject(CONFLICT)
        expect(response.headers['retry-after']).toBe('1')
        expect(attempts).toBe(3)
        expect(await notes()).toEqual([])
        expect(logged).toHaveLength(1)
      },
    )

    it.each([
      ['/clashes/once', undefined],
      ['/tenants/plain', 'acme'],
    ])(
      'results in a 503 response without a retry if the option `retries` is not set: %s',
      async (path, tenant) => {
        expect(await post(`${path}?at=${at}&times=1`, tenant)).toMatchObject(CONFLICT)
        expect([attempts, await notes()]).toEqual([1, []])
      },
    )

    it('is not repeated after a database error of another kind', async () => {
      const response = await post(`/clashes/returned?at=${at}&times=1&code=23505`)
      expect(response).toMatchObject({ status: 500, body: { code: 'INTERNAL_SERVER_ERROR' } })
      expect([attempts, await notes()]).toEqual([1, []])
    })
  })

  it('is repeated even if the handler has caught the conflict', async () => {
    expect((await post('/clashes/caught?times=1')).body.data).toBe('AFTER 2')
    expect(await notes()).toEqual(['clash 2'])
  })

  it('is not repeated after the first byte of the response', async () => {
    await post('/clashes/written?times=1').catch(() => {})
    expect(attempts).toBe(1)
  })

  it('refuses statements of the previous attempt', async () => {
    expect((await post('/clashes/floating?times=1')).body.data).toBe('AFTER 2')
    const [first] = await Promise.all(leftOver)
    expect(first).toMatchObject({ message: expect.stringContaining('was rolled back') })
    expect((await notes()).filter((text) => text.startsWith('floating 1'))).toEqual([])
  })

  it('has the isolation level of the option, and so do nested transactions', async () => {
    const { body } = await app.request().get('/clashes/level')
    expect(body.data).toEqual(['serializable', 'serializable'])
    for (const isolation of ['read committed', 'repeatable read', 'serializable'] as const) {
      const read = () => db.sql`select current_setting('transaction_isolation') as level`
      expect(await db.transaction(read, { isolation })).toEqual([{ level: isolation }])
      expect(await db.withTenantTransaction('a', read, { isolation })).toEqual([
        { level: isolation },
      ])
      const streamed = db.stream(
        async function* () {
          yield* await read()
        },
        { isolation },
      )
      expect((await streamed.next()).value).toEqual({ level: isolation })
      expect((await streamed.next()).done).toBe(true)
    }
  })

  it('refuses a nested transaction with another isolation level, and explains the option', async () => {
    expect((await app.request().get('/clashes/another-level')).status).toBe(500)
    expect(String((logged[0] as { err: unknown }).err)).toContain(
      "@Transactional({ isolation: 'serializable' })",
    )
  })

  it('refuses invalid options', async () => {
    const wrong = [
      { isolation: 'read uncommitted' },
      { retries: -1 },
      { retries: 11 },
      { retries: 0.5 },
      { retry: 1 },
    ]
    for (const options of wrong as TransactionOptions[]) {
      expect(() => Transactional(options)).toThrow(ConfigError)
      await expect(db.transaction(() => 1, options)).rejects.toThrow(ConfigError)
    }
    expect(() => {
      class Streams {
        @Transactional({ retries: 1 })
        async *all() {
          yield 1
        }
      }
      return Streams
    }).toThrow('cannot be withdrawn')
  })

  it('is documented as a 503 response with Retry-After', async () => {
    const plugins = [postgres({ embedded: 'memory' })]
    const described = new App({ controllers: [TenantsController], plugins, tenant: {} })
    const document = described.document as unknown as {
      paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>
      components: { responses: Record<string, { headers?: object }> }
    }
    const reference = document.paths['/tenants/plain']?.['post']?.responses['503']?.$ref
    expect(reference).toBe('#/components/responses/ServiceUnavailable')
    expect(document.components.responses['ServiceUnavailable']?.headers).toHaveProperty(
      'Retry-After',
    )
  })
})
