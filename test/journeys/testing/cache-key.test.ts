import {
  All,
  Auth,
  Cache,
  Controller,
  Get,
  getTenantId,
  type NextFunction,
  Params,
  Query,
  type Req,
  type Request,
  type Response,
  Tenant,
} from 'blazon'
import { ContractError, TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

const envelope = (data: object) => ({
  statusCode: 'success',
  status: 200,
  message: 'Fine',
  data,
})

const Sorting = z.object({ page: z.coerce.number().default(1), sort: z.string().optional() })

class Account {
  readonly #name: string
  constructor(
    readonly id: number,
    name: string,
  ) {
    this.#name = name
  }
  greeting() {
    return `Hello ${this.#name}`
  }
}

@Controller('lists')
class ListsController {
  @Get('query')
  @Query(Sorting)
  @Cache({ ttl: 60, key: (req: Request) => `page ${req.query['page']}` })
  query(req: Request) {
    const { page } = req.query
    return { page, sort: req.query['sort'] ?? 'none' }
  }

  @Get('header')
  @Cache({ ttl: 60, key: () => 'all' })
  header(req: Request) {
    return { language: req.get('Accept-Language') ?? 'none' }
  }

  @Get('cookie')
  @Cache({ ttl: 60, key: () => 'all' })
  async cookie(req: Request) {
    await Promise.resolve()
    return { theme: req.cookies['theme'] ?? 'none' }
  }

  @Get('item/:id')
  @Params(z.object({ id: z.string() }))
  @Cache({ ttl: 60, key: () => 'item' })
  item(req: Request) {
    return { id: req.validated.params['id'] }
  }

  @Auth()
  @Get('user')
  @Cache({ ttl: 60, key: () => 'all', shared: true })
  user(req: Req<{ auth: true }>) {
    return { greeting: req.user.greeting() }
  }

  @Get('later')
  @Cache({ ttl: 60, key: () => 'all' })
  later(req: Request, res: Response) {
    setImmediate(() => res.json(envelope({ sort: req.query['sort'] ?? 'none' })))
  }

  @Get('all')
  @Cache({ ttl: 60, key: () => 'all' })
  all(req: Request) {
    return { query: JSON.stringify(req.query) }
  }
}

/** Routes that read values of the connection or the called address, which no default key contains. */
@Controller('called')
class CalledController {
  @Get('hostname')
  @Cache({ ttl: 60 })
  hostname(req: Request) {
    return { read: req.hostname }
  }

  @Get('host')
  @Cache({ ttl: 60 })
  host(req: Request) {
    return { read: req.host }
  }

  @Get('header')
  @Cache({ ttl: 60 })
  header(req: Request) {
    return { read: req.headers.host }
  }

  @Get('got')
  @Cache({ ttl: 60 })
  got(req: Request) {
    return { read: req.get('Host') }
  }

  @Get('forwarded')
  @Cache({ ttl: 60 })
  forwarded(req: Request) {
    return { read: req.headers['x-forwarded-host'] ?? 'none' }
  }

  @Get('subdomains')
  @Cache({ ttl: 60 })
  subdomains(req: Request) {
    return { read: req.subdomains }
  }

  @Get('protocol')
  @Cache({ ttl: 60 })
  async protocol(req: Request) {
    await Promise.resolve()
    return { read: `${req.protocol}://api.example${req.originalUrl}` }
  }

  @Get('secure')
  @Cache({ ttl: 60 })
  secure(req: Request) {
    return { read: req.secure }
  }

  @Get('ip')
  @Cache({ ttl: 60 })
  ip(req: Request) {
    return { read: req.ip }
  }

  @Get('distinct')
  @Cache({ ttl: 60 })
  distinct(req: Request) {
    return { read: req.headersDistinct['host'] }
  }

  @Get('raw')
  @Cache({ ttl: 60 })
  raw(req: Request) {
    return { read: req.rawHeaders.length > 0 }
  }

  @All('body')
  @Cache({ ttl: 60, key: () => 'body' })
  body(req: Request) {
    return { read: req.body }
  }

  @Get('keyed')
  @Cache({ ttl: 60, key: (req: Request) => `${req.protocol}://${req.host}${req.originalUrl}` })
  keyed(req: Request) {
    return { read: [req.secure, req.hostname, req.get('host'), req.subdomains] }
  }

  @Get('host-keyed')
  @Cache({ ttl: 60, key: (req: Request) => String(req.get('host')) })
  hostKeyed(req: Request) {
    return { read: req.hostname }
  }

  @Get('raw-keyed')
  @Cache({ ttl: 60, key: (req: Request) => req.rawHeaders.join() })
  rawKeyed(req: Request) {
    return { read: req.host }
  }
}

/** Routes whose key contains everything that the handler reads. */
@Tenant()
@Controller('kept')
class KeptController {
  @Get('default/:id')
  @Cache({ ttl: 60 })
  byDefault(req: Request) {
    const { id } = req.params
    return { id, query: { ...req.query }, at: req.originalUrl, tenant: getTenantId() }
  }

  @Auth()
  @Get('mine')
  @Cache({ ttl: 60 })
  mine(req: Req<{ auth: true }>) {
    return { greeting: req.user.greeting(), tenant: req.get('x-tenant-id') }
  }

  @Auth()
  @Get('own')
  @Cache({ ttl: 60, key: () => 'own' })
  own(req: Req<{ auth: true }>) {
    return { greeting: req.user.greeting(), tenant: getTenantId() }
  }

  @Get('url/:id')
  @Cache({ ttl: 60, key: (req: Request) => req.originalUrl })
  byUrl(req: Request) {
    return { id: req.params['id'], sort: req.query['sort'] ?? 'none' }
  }

  @Get('whole')
  @Cache({ ttl: 60, key: (req: Request) => JSON.stringify(req.query) })
  whole(req: Request) {
    return { sort: req.query['sort'] ?? 'none' }
  }

  @Get('spoken')
  @Cache({ ttl: 60, key: (req: Request) => `in ${req.get('accept-language')} ${req.user?.id}` })
  spoken(req: Request, res: Response) {
    res.json(envelope({ language: req.get('accept-language'), tag: req.get('if-none-match') }))
  }

  @Get('cookies')
  @Cache({ ttl: 60, key: (req: Request) => String(req.headers.cookie) })
  cookies(req: Request) {
    return { theme: req.cookies['theme'] ?? 'none' }
  }
}

/** Sets req.cookies, as cookie-parser does. */
function cookies(req: Request, _res: Response, next: NextFunction) {
  const [name = '', value] = (req.headers.cookie ?? '').split('=')
  req.cookies = value === undefined ? {} : { [name]: value }
  next()
}

const options: TestOptions = {
  controllers: [ListsController, CalledController, KeptController],
  middlewares: [cookies],
  auth: { guard: { canActivate: () => true } },
  tenant: {},
}
const ada = new Account(7, 'Ada')

describe('the cache key check with contract: throw', () => {
  let app: TestApp
  beforeEach(async () => {
    app = await TestApp.create({ ...options, contract: 'throw' })
  })
  afterEach(() => app.close())

  it.each([
    ['query', 'query.sort'],
    ['header', 'headers.accept-language'],
    ['cookie', 'cookies.theme'],
    ['item/1', 'params.id'],
    ['user', 'user.greeting'],
    ['later', 'query.sort'],
    ['all?a=1', 'query.a'],
  ])('makes GET /lists/%s fail, because its key lacks %s', async (path, input) => {
    const caller = app.as({ ...ada, greeting: () => ada.greeting() })
    const failure = await caller.fetch(`/lists/${path}`).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ContractError)
    const { violations } = failure as ContractError
    expect(violations).toMatchObject([{ kind: 'cache-key', path: input }])
    expect(violations[0]?.got).toMatch(
      /^a read at test\/journeys\/testing\/cache-key\.test\.ts:\d+:\d+$/,
    )
    expect(app.contractReport()).toEqual(violations)
  })

  it.each([
    ['hostname', 'headers.host'],
    ['host', 'headers.host'],
    ['header', 'headers.host'],
    ['got', 'headers.host'],
    ['forwarded', 'headers.x-forwarded-host'],
    ['subdomains', 'headers.host'],
    ['protocol', 'req.protocol'],
    ['secure', 'req.protocol'],
    ['ip', 'req.ip'],
    ['distinct', 'headers.host'],
    ['raw', 'headers.*'],
  ])('makes GET /called/%s fail, because no default key contains %s', async (path, input) => {
    const failure = await app.fetch(`/called/${path}`).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ContractError)
    expect((failure as ContractError).violations).toMatchObject([{ path: input }])
  })

  it('makes a request fail if the handler reads the body, which the key does not contain', async () => {
    const init = { 'content-type': 'application/json', 'content-length': '7' }
    const ask = app
      .request()
      .get('/called/body')
      .set(init)
      .send('{"a":1}')
      .catch((error: unknown) => error)
    expect(await ask).toMatchObject({ violations: [{ path: 'req.body' }] })
  })

  it.each(['keyed', 'host-keyed', 'raw-keyed'])(
    'lets GET /called/%s pass, because its key contains the values that the handler reads',
    async (path) => {
      expect((await app.fetch(`/called/${path}`)).status).toBe(200)
      expect(app.contractReport()).toEqual([])
    },
  )

  it('makes supertest requests fail, too', async () => {
    const failure = await app
      .request()
      .get('/lists/header')
      .catch((error: unknown) => error)
    expect(String(failure)).toContain(
      'GET /lists/header is cached, but its cache key does not contain a value that its handler reads (Lists_header, ListsController.header):',
    )
  })

  it('lets a request pass if its response comes from the cache', async () => {
    await app.fetch('/lists/query').catch(() => {})
    const answer = await app.fetch('/lists/query')
    expect(answer.headers.get('x-cache')).toBe('HIT')
  })

  it.each(['default/1?b=2', 'url/1?sort=up', 'whole?sort=up', 'spoken', 'cookies'])(
    'lets GET /kept/%s pass, because its key contains all values that the handler reads',
    async (path) => {
      const answer = await app.asTenant('acme').fetch(`/kept/${path}`)
      expect(answer.status).toBe(200)
      expect(app.contractReport()).toEqual([])
    },
  )

  it.each(['mine', 'own'])(
    'lets GET /kept/%s read any field of the user, whose ID is in the key',
    async (path) => {
      const caller = app.as(ada as never).asTenant('acme')
      const answer = await caller.fetch(`/kept/${path}`)
      expect(await answer.json()).toMatchObject({ data: { greeting: 'Hello Ada', tenant: 'acme' } })
    },
  )

  it('does not change the values that handlers read', async () => {
    const answer = await app.asTenant('acme').fetch('/kept/default/1?b=2&c=3')
    expect(await answer.json()).toMatchObject({
      data: { id: '1', query: { b: '2', c: '3' }, at: '/kept/default/1?b=2&c=3', tenant: 'acme' },
    })
  })
})

describe('the cache key check with a trusted proxy', () => {
  it.each([
    ['hostname', ['headers.x-forwarded-host', 'headers.host']],
    ['protocol', ['req.protocol']],
    ['ip', ['req.ip']],
  ])('makes GET /called/%s fail, too', async (path, inputs) => {
    const trusting = { ...options, trustProxy: true, contract: 'throw' } as const
    await using app = await TestApp.create(trusting)
    const headers = { 'x-forwarded-host': 'a.example', 'x-forwarded-proto': 'https' }
    const failure = await app.fetch(`/called/${path}`, { headers }).catch((error) => error)
    const { violations } = failure as ContractError
    expect(violations.map((violation) => violation.path)).toEqual(inputs)
  })
})

describe('the cache key check with contract: warn', () => {
  it('logs a violation once, and lets the request pass', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await using app = await TestApp.create({ ...options, swagger: { title: 'Warned' } })
    for (const sort of ['up', 'down']) {
      const answer = await app.fetch(`/lists/later?page=${sort}`)
      expect(answer.status).toBe(200)
    }
    expect(write.mock.calls.flat().join('')).toMatch(/cache-key query\.sort: expected to be in the/)
    expect(write).toHaveBeenCalledTimes(1)
    write.mockRestore()
    expect(app.contractReport()).toHaveLength(1)
  })
})

describe('the cache key check with contract: off', () => {
  it('is disabled', async () => {
    await using app = await TestApp.create({ ...options, contract: 'off' })
    expect((await app.fetch('/lists/query')).status).toBe(200)
    expect(app.contractReport()).toEqual([])
  })
})
