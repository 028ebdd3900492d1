import {
  Auth,
  Cache,
  Checks,
  Controller,
  Get,
  JsonLines,
  type NextFunction,
  Public,
  policy,
  type Request,
  type Response,
  Use,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { guard } from './shop.js'

interface Article {
  readonly title: string
  readonly isPublic: boolean
}

const OPEN: Article = { title: 'open', isPublic: true }
const DRAFT: Article = { title: 'draft', isPublic: false }

const ArticlePolicy = policy(
  'article',
  { read: (user, article: Article) => article.isPublic || user !== undefined },
  { anonymous: true },
)

let calls = 0

@Controller('articles')
class ArticlesController {
  @Public()
  @Checks(ArticlePolicy.or404(), 'read')
  @Get('draft')
  draft(req: Request) {
    return ArticlePolicy.or404().load(req, 'read', () => DRAFT)
  }

  @Auth({ optional: true })
  @Checks(ArticlePolicy, 'read')
  @Get()
  list(req: Request) {
    return ArticlePolicy.filter(req, 'read', [OPEN, DRAFT])
  }

  /** A middleware of the route loads the object for the handler. */
  @Auth()
  @Checks(ArticlePolicy, 'read')
  @Use(async (req: Request, _res: Response, next: NextFunction) => {
    await ArticlePolicy.check(req, 'read', OPEN)
    next()
  })
  @Get('used')
  used() {
    return OPEN
  }

  @Auth()
  @Checks(ArticlePolicy, 'read')
  @Get('later')
  later(req: Request, res: Response) {
    void sendLater(req, res)
    return res
  }

  @Auth()
  @Checks(ArticlePolicy, 'read')
  @Cache({ ttl: 60 })
  @Get('cached')
  async cached(req: Request) {
    calls++
    const article = await ArticlePolicy.load(req, 'read', () => DRAFT)
    return { ...article, reader: req.user?.id }
  }

  @Auth()
  @Checks(ArticlePolicy, 'read')
  @JsonLines(z.object({ title: z.string(), isPublic: z.boolean() }))
  @Get('lines')
  async *lines(req: Request) {
    for (const each of await ArticlePolicy.filter(req, 'read', [OPEN, DRAFT])) yield each
  }

  @Auth()
  @Checks(ArticlePolicy, 'read')
  @JsonLines(z.object({ title: z.string(), isPublic: z.boolean() }))
  @Get('forgotten-lines')
  async *forgotten() {
    yield { title: 'canary', isPublic: true }
  }
}

let early: unknown

/** Sends the article from a callback, after the handler has returned `res`. */
async function sendLater(req: Request, res: Response) {
  await new Promise(setImmediate)
  res.json(await ArticlePolicy.load(req, 'read', () => DRAFT))
}

let app: TestApp

beforeAll(async () => {
  app = await TestApp.create({
    controllers: [ArticlesController],
    auth: { guard },
    logger: false,
    middlewares: [
      async (req: Request, _res: Response, next: NextFunction) => {
        const byPolicy = await ArticlePolicy.can(req, 'read', DRAFT)
        const byName = await req.can('article:read', DRAFT).catch((error) => String(error))
        early = { byPolicy, byName }
        next()
      },
    ],
  })
})
afterAll(() => app.close())

async function dataOf<T>(response: globalThis.Response): Promise<T> {
  return ((await response.json()) as { data: T }).data
}

function get(path: string, user?: string) {
  return app.fetch(
    `/articles${path}`,
    user === undefined ? {} : { headers: { authorization: user } },
  )
}

describe('a policy', () => {
  it('is applied to anonymous callers if the option `anonymous` is set', async () => {
    expect((await get('/draft')).status).toBe(404)
    const titles = async (user?: string) =>
      (await dataOf<Article[]>(await get('', user))).map(({ title }) => title)
    expect(await titles()).toEqual(['open'])
    expect(await titles('ana')).toEqual(['open', 'draft'])
  })

  it('can be evaluated in a middleware of the route', async () => {
    expect((await get('/used', 'ana')).status).toBe(200)
  })

  it('can be evaluated in a middleware before the route is known, but not by its name', async () => {
    await get('', 'ana')
    expect(early).toEqual({ byPolicy: false, byName: expect.stringMatching(/has no route yet/) })
  })

  it('can be evaluated after the handler has returned `res`', async () => {
    expect((await get('/later', 'ana')).status).toBe(200)
  })

  it('is evaluated once for each user of a cached response', async () => {
    calls = 0
    const readers = []
    for (const user of ['ana', 'bo', 'ana', 'bo']) {
      readers.push((await dataOf<{ reader: string }>(await get('/cached', user))).reader)
    }
    expect(readers).toEqual(['ana', 'bo', 'ana', 'bo'])
    expect(calls).toBe(2)
  })

  it('must be evaluated before the first item of a stream', async () => {
    expect((await (await get('/lines', 'ana')).text()).trim().split('\n')).toHaveLength(2)
    const forgotten = await get('/forgotten-lines', 'ana')
    expect(forgotten.status).toBe(500)
    expect(await forgotten.text()).not.toContain('canary')
  })
})
