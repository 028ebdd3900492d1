import {
  Auth,
  Cache,
  Controller,
  Get,
  getTenantId,
  type NextFunction,
  Params,
  Query,
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
  user(req: Request) {
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

/** Cached with everything in the key that is read. */
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
  mine(req: Request) {
    return { greeting: req.user.greeting(), tenant: req.get('x-tenant-id') }
  }

  @Auth()
  @Get('own')
  @Cache({ ttl: 60, key: () => 'own' })
  own(req: Request) {
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

/** What cookie-parser does. */
function cookies(req: Request, _res: Response, next: NextFunction) {
  const [name = '', value] = (req.headers.cookie ?? '').split('=')
  req.cookies = value === undefined ? {} : { [name]: value }
  next()
}

const options: TestOptions = {
  controllers: [ListsController, KeptController],
  middlewares: [cookies],
  auth: { guard: { canActivate: () => true } },
  tenant: {},
}
const ada = new Account(7, 'Ada')

describe('with contract: throw', () => {
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
  ])('GET /lists/%s fails, because its key lacks %s', async (path, input) => {
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

  it('fails requests of supertest, too', async () => {
    const failure = await app
      .request()
      .get('/lists/header')
      .catch((error: unknown) => error)
    expect(String(failure)).toContain(
      'GET /lists/header is cached under a key that lacks what its handler reads (Lists_header, ListsController.header):',
    )
  })

  it('reads no handler again for what is in the cache', async () => {
    await app.fetch('/lists/query').catch(() => {})
    const answer = await app.fetch('/lists/query')
    expect(answer.headers.get('x-cache')).toBe('HIT')
  })

  it.each(['default/1?b=2', 'url/1?sort=up', 'whole?sort=up', 'spoken', 'cookies'])(
    'GET /kept/%s passes',
    async (path) => {
      const answer = await app.asTenant('acme').fetch(`/kept/${path}`)
      expect(answer.status).toBe(200)
      expect(app.contractReport()).toEqual([])
    },
  )

  it.each(['mine', 'own'])(
    'takes the id of the user for all that there is of the user: %s',
    async (path) => {
      const caller = app.as(ada as never).asTenant('acme')
      const answer = await caller.fetch(`/kept/${path}`)
      expect(await answer.json()).toMatchObject({ data: { greeting: 'Hello Ada', tenant: 'acme' } })
    },
  )

  it('gives handlers what they would get without', async () => {
    const answer = await app.asTenant('acme').fetch('/kept/default/1?b=2&c=3')
    expect(await answer.json()).toMatchObject({
      data: { id: '1', query: { b: '2', c: '3' }, at: '/kept/default/1?b=2&c=3', tenant: 'acme' },
    })
  })
})

describe('with contract: warn', () => {
  it('says it once, and lets the request through', async () => {
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

describe('with contract: off', () => {
  it('looks at nothing', async () => {
    await using app = await TestApp.create({ ...options, contract: 'off' })
    expect((await app.fetch('/lists/query')).status).toBe(200)
    expect(app.contractReport()).toEqual([])
  })
})
