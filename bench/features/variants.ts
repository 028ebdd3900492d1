// One route, four times: as it is, and with one feature each.
import type { AppOptions, Request, Response } from 'blazon'
import { App, BaseController, Cache, Controller, defineControllers, Get } from 'blazon'
import { findUser } from '../orders.mjs'
import { announce, workload } from './serve.mjs'

@Controller('users')
class UsersController extends BaseController {
  @Get(':id')
  getById(req: Request, res: Response) {
    return this.ok(res, 'User found', findUser(req.params.id))
  }
}

@Controller('users')
class CachedController extends BaseController {
  @Get(':id')
  @Cache({ ttl: '1h', key: (req) => `users:${req.params.id}` })
  getById(req: Request, res: Response) {
    return this.ok(res, 'User found', findUser(req.params.id))
  }
}

const plain = { controllers: defineControllers(UsersController), security: { helmet: false } }

const variants: Record<string, AppOptions> = {
  plain,
  tenant: { ...plain, tenant: {} },
  cache: { ...plain, controllers: defineControllers(CachedController) },
  limit: { ...plain, rateLimit: { limit: 1_000_000_000, window: '1h' } },
}

const app = new App({ ...variants[workload as string], logger: false })
const { port } = await app.listen(0, '127.0.0.1')
announce(port)
