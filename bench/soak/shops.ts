// An application of many tenants that does everything by which one could get what is another's.
import { createHash } from 'node:crypto'
import {
  App,
  type AppOptions,
  Body,
  Cache,
  CacheManager,
  Controller,
  defineControllers,
  Get,
  HttpCode,
  inject,
  NotFoundError,
  Post,
  RateLimit,
  type Request,
  type Response,
  requireTenantId,
  Tenant,
  TenantContext,
} from 'blazon'

const canaries = new Map<string, string>()

/** A text that only a tenant's answers may hold. */
export function canaryOf(tenant: string): string {
  const known = canaries.get(tenant)
  if (known !== undefined) return known
  const canary = `canary-${createHash('sha256').update(tenant).digest('hex').slice(0, 32)}`
  // Tenants without end must not be what fills the memory that is measured.
  if (canaries.size < 1000) canaries.set(tenant, canary)
  return canary
}

/** Waits as handlers do: not at all, for a microtask, for a turn, for a timer, or for several of them. */
async function wander(): Promise<void> {
  const ways = Math.floor(Math.random() * 4)
  for (let way = 0; way < ways; way++) {
    const chance = Math.random()
    if (chance < 0.5) await null
    else if (chance < 0.9) await new Promise<void>((resolve) => setImmediate(resolve))
    else await new Promise<void>((resolve) => setTimeout(resolve, Math.random() * 3))
  }
}

/** Notes by tenant and by ids that all tenants share. */
const notes = new Map<string, Map<string, string>>()
/** Callbacks that a pool will call in whatever context it happens to have. */
const waiting: (() => void)[] = []

function callAll(): void {
  for (const call of waiting.splice(0)) call()
}

@Tenant()
@Controller()
class ShopsController {
  private readonly cache = inject(CacheManager)

  @Get('plain')
  async plain() {
    await wander()
    return { canary: canaryOf(requireTenantId()) }
  }

  /** One key for all tenants, but for what the framework puts in front of it. */
  @Get('cached/:page')
  @Cache({ ttl: '1s', key: (req) => `page ${req.params.page}`, staleWhileRevalidate: '1s' })
  async cached(req: Request) {
    await wander()
    return { page: req.params['page'], canary: canaryOf(requireTenantId()) }
  }

  /** Made once for each tenant. */
  @Get('kept/:page')
  @Cache({ ttl: '1h', key: (req) => `kept ${req.params.page}` })
  async kept(req: Request) {
    await wander()
    return { page: req.params['page'], canary: canaryOf(requireTenantId()) }
  }

  @Get('memo/:key')
  async memo(req: Request) {
    const load = async () => {
      await wander()
      return canaryOf(requireTenantId())
    }
    const own = this.cache.forTenant()
    return { canary: await own.getOrSet(`${req.params['key']}`, load, { ttl: '1s' }) }
  }

  @Post('notes/:id')
  @HttpCode(201)
  @Body({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] })
  async write(req: Request) {
    const tenant = requireTenantId()
    await wander()
    const own = notes.get(tenant) ?? new Map<string, string>()
    // Strangers come only once.
    if (tenant.startsWith('shop-')) notes.set(tenant, own)
    own.set(`${req.params['id']}`, `${req.body.text} ${canaryOf(requireTenantId())}`)
    return { text: own.get(`${req.params['id']}`) }
  }

  @Get('notes/:id')
  async read(req: Request) {
    await wander()
    const text = notes.get(requireTenantId())?.get(`${req.params['id']}`)
    await wander()
    if (text === undefined) throw new NotFoundError(`No note for ${canaryOf(requireTenantId())}`)
    return { text }
  }

  /** Called back in the name of somebody else. */
  @Get('pooled')
  pooled(_req: Request, res: Response) {
    const answer = () => {
      const canary = canaryOf(requireTenantId())
      res.json({ statusCode: 'success', status: 200, message: 'OK', data: { canary } })
    }
    waiting.push(TenantContext.bind(answer))
    if (waiting.length >= 8) callAll()
    else setImmediate(callAll)
  }

  @RateLimit({ limit: 1_000_000_000, window: '1m', by: 'tenant' })
  @Get('limited')
  async limited() {
    await wander()
    return { canary: canaryOf(requireTenantId()) }
  }

  @Get('streamed')
  async streamed(_req: Request, res: Response) {
    const text = canaryOf(requireTenantId())
    res.setHeader('Content-Length', text.length * 2)
    res.write(text)
    await wander()
    res.end(canaryOf(requireTenantId()))
  }
}

/** @param options Over those of the application. */
export function createShops(options: AppOptions = {}): App {
  return new App({
    controllers: defineControllers(ShopsController),
    tenant: {},
    security: { helmet: false },
    logger: false,
    ...options,
  })
}
