// One application as one of several processes: a plain route, one that is limited, one that is cached, and one that is both, in Redis.
import type { Request, Response } from 'blazon'
import {
  App,
  BaseController,
  Cache,
  CacheManager,
  Controller,
  Get,
  inject,
  Post,
  RateLimit,
} from 'blazon'
import { redisCache, redisLimits } from 'blazon/redis'
import { announce } from './serve.mjs'

/** Nobody gets there in a benchmark. */
const ENDLESS = { limit: 1_000_000_000, window: '1h' } as const

const TAG = 'users'

/** What a handler looks up. */
const findUser = (id: string) => ({ id, name: 'Ada Lovelace', email: `${id}@example.com` })

/** Calls of handlers of this process. */
let made = 0

function answer(controller: BaseController, req: Request, res: Response) {
  made++
  return controller.ok(res, 'User found', findUser(req.params.id))
}

@Controller('plain')
class PlainController extends BaseController {
  @RateLimit(false)
  @Get(':id')
  get(req: Request, res: Response) {
    return answer(this, req, res)
  }
}

@Controller('limited')
class LimitedController extends BaseController {
  @RateLimit({ ...ENDLESS, name: 'endless' })
  @Get(':id')
  get(req: Request, res: Response) {
    return answer(this, req, res)
  }
}

@Controller('cached')
class CachedController extends BaseController {
  @RateLimit(false)
  @Cache({ ttl: '1h' })
  @Get(':id')
  get(req: Request, res: Response) {
    return answer(this, req, res)
  }
}

@Controller('both')
class BothController extends BaseController {
  @RateLimit({ ...ENDLESS, name: 'endless' })
  @Cache({ ttl: '1h' })
  @Get(':id')
  get(req: Request, res: Response) {
    return answer(this, req, res)
  }
}

@Controller('tagged')
class TaggedController extends BaseController {
  private readonly cache = inject(CacheManager)

  @RateLimit({ ...ENDLESS, name: 'endless' })
  @Cache({ ttl: '1h', tags: [TAG] })
  @Get(':id')
  get(req: Request, res: Response) {
    return answer(this, req, res)
  }

  @RateLimit(false)
  @Post()
  async invalidate() {
    await this.cache.invalidateTags([TAG])
  }
}

/** Every check is another client's. */
const by = (req: Request) => String(req.headers['x-client'])

/** What is counted exactly: see exact.mjs. */
@Controller()
class ExactController extends BaseController {
  @RateLimit({ limit: 1000, window: '5m', name: 'burst', by })
  @Get('burst')
  burst(_: Request, res: Response) {
    return this.ok(res, 'Allowed', null)
  }

  @RateLimit({ limit: 200, window: '1s', name: 'short', by })
  @Get('short')
  short(_: Request, res: Response) {
    return this.ok(res, 'Allowed', null)
  }
}

/** What a check asks of this process. */
@Controller('made')
class MadeController {
  @RateLimit(false)
  @Get()
  get() {
    return { made }
  }
}

/** Nobody is to go on without Redis here, however late the machine is. */
const redis = { url: process.env.BENCH_REDIS_URL as string, prefix: 'bench:', timeout: '5s' }

const app = new App({
  controllers: [
    PlainController,
    LimitedController,
    CachedController,
    BothController,
    TaggedController,
    ExactController,
    MadeController,
  ],
  cache: { store: redisCache(redis) },
  rateLimit: { policies: [], store: redisLimits(redis) },
  security: { helmet: false },
  logger: false,
})
const { port } = await app.listen(0, '127.0.0.1')
announce(port)
