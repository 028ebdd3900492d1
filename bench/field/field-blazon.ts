// Blazon with its database plugin, its cache, and hbs for views; `tenant` has a guard and tables of tenants. Nobody sends the headers of
// helmet, so they are off.
import type { AppOptions, Request, Response } from 'blazon'
import {
  App,
  CacheManager,
  Controller,
  defineControllers,
  Get,
  Header,
  inject,
  memoryCache,
} from 'blazon'
import { Database, postgres } from 'blazon/postgres'
import { announce, workload } from '../candidates/serve.mjs'
import {
  changeWorlds,
  countOf,
  DATABASE_URL,
  POOL_SIZE,
  randomIds,
  randomNumber,
  statementsOf,
  TENANT_DATABASE_URL,
  VIEWS,
  WORLDS,
  withAdded,
} from '../field/world.mjs'
import { authenticate, TENANT } from '../orders.mjs'

interface World {
  id: number
  randomNumber: number
}

const isTenant = workload === 'tenant'
const STATEMENTS = statementsOf(isTenant ? 'tenant_' : '')

class Worlds {
  private readonly db = inject(Database)
  private readonly manager = inject(CacheManager)

  async find(id: number) {
    const { rows } = await this.db.query<World>(STATEMENTS.world, [id])
    return rows[0]
  }

  async findAll(count: number) {
    return Promise.all(randomIds(count).map((id) => this.find(id)))
  }

  async change(count: number) {
    const [changed, values] = changeWorlds(await this.findAll(count))
    await this.db.query(STATEMENTS.update, values)
    return changed
  }

  findCached(count: number) {
    const cache = isTenant ? this.manager.forTenant() : this.manager
    const find = async (id: number) =>
      (await this.db.query<World>(STATEMENTS.cachedWorld, [id])).rows[0]
    return Promise.all(
      randomIds(count).map((id) => cache.getOrSet(`world:${id}`, () => find(id), { ttl: '1h' })),
    )
  }
}

@Controller()
class FieldController {
  private readonly worlds = inject(Worlds)
  private readonly db = inject(Database)

  @Get('json')
  json() {
    return { message: 'Hello, World!' }
  }

  @Get('plaintext')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  plaintext() {
    return 'Hello, World!'
  }

  @Get('db')
  one() {
    return this.worlds.find(randomNumber())
  }

  @Get('queries')
  many(req: Request) {
    return this.worlds.findAll(countOf(req.query.queries))
  }

  @Get('fortunes')
  async fortunes(_req: Request, res: Response) {
    const { rows } = await this.db.query(STATEMENTS.fortunes)
    res.render('fortunes', { fortunes: withAdded(rows) })
  }

  @Get('updates')
  update(req: Request) {
    return this.worlds.change(countOf(req.query.queries))
  }

  @Get('cached-worlds')
  cached(req: Request) {
    return this.worlds.findCached(countOf(req.query.count))
  }
}

const tenants: AppOptions = {
  auth: {
    default: 'protected',
    guard: {
      async canActivate(req: Request) {
        req.user = await authenticate(req.headers.authorization)
        return req.user !== undefined
      },
    },
  },
  tenant: { authorize: (_req, tenant) => tenant === TENANT },
}

const url = (isTenant ? TENANT_DATABASE_URL : DATABASE_URL) as string
const app = new App({
  controllers: defineControllers(FieldController),
  providers: [Worlds],
  // The pools of the others wait for a connection without an end.
  plugins: [postgres({ url, connections: POOL_SIZE, timeouts: { acquire: '60s' } })],
  cache: { store: memoryCache({ maxEntries: 2 * WORLDS, tenantShare: 1 }) },
  envelope: false,
  security: { helmet: false },
  logger: false,
  ...(isTenant ? tenants : {}),
})
app.express.set('view engine', 'hbs')
app.express.set('views', VIEWS)
app.express.set('view options', { layout: false })
const { port } = await app.listen(0, '127.0.0.1')
announce(port)
