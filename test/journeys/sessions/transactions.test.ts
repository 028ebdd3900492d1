import {
  type AppOptions,
  Auth,
  ConflictError,
  Controller,
  type Interceptor,
  inject,
  Post,
  type Req,
  type Request,
  type Response,
  Use,
} from 'blazon'
import { Database, postgres, postgresSessions, sessionTable, Transactional } from 'blazon/postgres'
import { sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { describeWithServer, ownServerDatabase } from '../../integrations/postgres/own-database.js'
import { SUPERUSER } from '../../integrations/postgres/server.js'

const web = sessions({ store: postgresSessions() })

/** Logs in outside the transaction of the handler. */
class EarlyLogin implements Interceptor {
  async intercept(req: Request, next: () => unknown) {
    await (await web.of(req)).login({ id: 'early' })
    return await next()
  }
}

@Controller('shop')
class ShopController {
  private readonly db = inject(Database)

  @Transactional()
  @Post('login/:id')
  async login(req: Request<{ id: string }>) {
    await (await web.of(req)).login({ id: req.params.id })
  }

  @Transactional()
  @Post('login/:id/throws')
  async loginThatThrows(req: Request<{ id: string }>) {
    await this.login(req)
    throw new ConflictError()
  }

  @Transactional()
  @Post('login/:id/sends-503')
  async loginThatSends(req: Request<{ id: string }>, res: Response) {
    await this.login(req)
    res.status(503).json({})
  }

  @Transactional()
  @Post('login/:id/not-committed')
  async loginThatIsNotCommitted(req: Request<{ id: string }>) {
    await this.login(req)
    await this.db.sql`insert into deferred (value) values (1), (1)`
  }

  @Transactional()
  @Post('login/:id/in-part')
  async loginInPart(req: Request<{ id: string }>, res: Response) {
    res.cookie('theme', 'dark')
    const part = this.db.transaction(async () => {
      await this.login(req)
      throw new Error('undone')
    })
    await part.catch(() => {})
    return 'done'
  }

  @Post('login/:id/part-alone')
  async loginInPartAlone(req: Request<{ id: string }>, res: Response) {
    return await this.loginInPart(req, res)
  }

  @Transactional()
  @Post('login/:id/before-part')
  async loginBeforePart(req: Request<{ id: string }>) {
    await this.login(req)
    const session = await web.of(req)
    const part = this.db.transaction(async () => {
      await session.logout()
      throw new Error('undone')
    })
    await part.catch(() => {})
  }

  @Transactional()
  @Use(EarlyLogin)
  @Post('login-early/throws')
  async throwsAfterEarlyLogin(req: Request) {
    await (await web.of(req)).login({ id: 'late' })
    throw new ConflictError()
  }

  @Transactional()
  @Post('logout/throws')
  async logoutThatThrows(req: Request) {
    await (await web.of(req)).logout()
    throw new ConflictError()
  }

  @Auth()
  @Post('me')
  me(req: Req<{ auth: true }>) {
    return { id: req.user.id }
  }
}

const TABLES = `${sessionTable({ role: SUPERUSER })};
  create table deferred (value integer unique deferrable initially deferred);`

describeWithServer('a session in the transaction of its request', () => {
  let options: AppOptions
  let rows: () => Promise<unknown[]>

  beforeAll(async () => {
    const database = await ownServerDatabase()
    await database.run(TABLES)
    rows = async () => {
      const found = await database.run('select user_json from blazon_sessions order by user_json')
      return found.map(({ user_json }) => JSON.parse(String(user_json)).id)
    }
    options = {
      controllers: [ShopController],
      auth: { guard: web },
      plugins: [postgres({ url: database.options.url }), web],
    }
    return () => database[Symbol.asyncDispose]()
  })

  async function start() {
    const app = await TestApp.create({ ...options, contract: 'off' })
    onTestFinished(async () => {
      await app.get(web.manager).revokeAll('ada')
      await app.get(web.manager).revokeAll('early')
      await app.close()
    })
    return async (path: string, cookie = '') => {
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      const { status, headers: sent, body } = await app.request().post(`/shop/${path}`).set(headers)
      const lines = (sent['set-cookie'] ?? []) as unknown as string[]
      return { status, cookies: lines.map((line) => line.split(';')[0] as string), body }
    }
  }

  it('exists, with its cookie, after a committed login', async () => {
    const send = await start()
    const { status, cookies } = await send('login/ada')
    expect([status, cookies]).toEqual([204, [expect.stringMatching(/^session=[\w-]{43}$/)]])
    expect(await rows()).toEqual(['ada'])
    expect((await send('me', cookies[0])).body.data).toEqual({ id: 'ada' })
  })

  it.each([
    ['throws', 409],
    ['sends-503', 503],
    ['not-committed', 500],
  ])(
    'does not start, and no cookie is sent, if the transaction is not committed: %s',
    async (end, expected) => {
      const send = await start()
      const { status, cookies } = await send(`login/ada/${end}`)
      expect([status, cookies]).toEqual([expected, []])
      expect(await rows()).toEqual([])
    },
  )

  it.each(['login/eve/throws', 'login/eve/in-part', 'login/eve/part-alone', 'logout/throws'])(
    'still exists with its cookie after the rollback of %s',
    async (path) => {
      const send = await start()
      const [cookie] = (await send('login/ada')).cookies
      const { status, cookies } = await send(path, cookie)
      expect(status).toBe(path.includes('part') ? 200 : 409)
      expect(cookies).toEqual(path.includes('part') ? ['theme=dark'] : [])
      expect(await rows()).toEqual(['ada'])
      expect((await send('me', cookie)).body.data).toEqual({ id: 'ada' })
    },
  )

  it('has the cookie of the last change that was saved', async () => {
    const send = await start()
    for (const [path, id] of [
      ['login/ada/before-part', 'ada'],
      ['login-early/throws', 'early'],
    ] as const) {
      const { cookies } = await send(path)
      expect(cookies).toEqual([expect.stringMatching(/^session=[\w-]{43}$/)])
      expect((await send('me', cookies[0])).body.data).toEqual({ id })
    }
  })
})
