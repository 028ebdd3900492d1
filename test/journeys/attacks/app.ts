import {
  type AppOptions,
  Auth,
  Controller,
  Get,
  Post,
  Public,
  type Request,
  schemeOf,
} from 'blazon'
import { start } from '../hostile/listening-app.js'
import { exchange, request } from '../hostile/raw-connection.js'

/** The users of the tests, by their tokens. */
const USERS: Readonly<Record<string, string>> = { 'Bearer ann': 'ann', 'Bearer bob': 'bob' }

/** A guard that reads `Authorization`, as many applications write it. */
export const tokenGuard = {
  async canActivate(req: Request) {
    const { authorization = '' } = req.headers
    await Promise.resolve()
    if (!Object.hasOwn(USERS, authorization)) return false
    req.user = { id: USERS[authorization] as string }
    return true
  },
}

@Auth()
@Controller('admin')
export class AdminController {
  @Get()
  secret(req: Request) {
    return { secret: req.user?.id, scheme: schemeOf(req) ?? null }
  }

  @Post()
  change(req: Request) {
    return { changed: req.user?.id }
  }

  @Get('items/:id')
  item(req: Request) {
    return { secret: req.params.id }
  }

  @Public()
  @Get('open')
  open(req: Request) {
    return { user: req.user?.id ?? null }
  }
}

/** Starts an application with a guarded controller, and returns a function that sends bytes on a new connection. */
export async function startGuarded(options: AppOptions = {}) {
  const { port, app } = await start({
    controllers: [AdminController],
    auth: { guard: tokenGuard },
    ...options,
  })
  const send = async (target: string, lines: readonly string[] = [], method = 'GET') => {
    const answers = await exchange(port, request(target, lines, { method }), {
      isHead: method === 'HEAD',
    })
    return answers
  }
  return { app, port, send }
}
