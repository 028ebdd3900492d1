import { Auth, type AuthGuard, type Class, Controller, Get, Post, type Request } from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'

const users: Readonly<Record<string, object>> = {
  'Bearer ann': { id: 'ann', permissions: ['drafts'] },
  'Bearer bob': { id: 'bob' },
}

/** Looks for a token in every place that the tests of optional auth use. */
export class TokenGuard implements AuthGuard {
  canActivate(req: Request) {
    const cookie = req.get('cookie')?.match(/(?:^|;\s*)session\s*=\s*(\w+)/)?.[1]
    const token = req.get('authorization') ?? `Bearer ${req.get('x-api-key') ?? cookie}`
    req.user = users[token]
    return req.user !== undefined
  }
}

export const whose = (req: Request) => ({ reader: req.user?.id ?? 'anybody' })

@Controller('articles')
export class Articles {
  @Auth({ optional: true })
  @Get()
  list(req: Request) {
    return whose(req)
  }

  @Auth({ optional: true })
  @Post()
  comment(req: Request) {
    return whose(req)
  }
}

@Auth()
@Controller('notes')
export class Notes {
  @Auth({ optional: true })
  @Get()
  list(req: Request) {
    return whose(req)
  }

  @Get('mine')
  mine(req: Request) {
    return whose(req)
  }
}

export const start = (options: TestOptions = {}, controllers: Class[] = [Articles]) =>
  TestApp.create({ controllers, auth: { guard: TokenGuard }, contract: 'throw', ...options })

export type Headers = Record<string, string>

/** Who the handler says the reader is, or the status where it says nothing. */
export async function ask(app: TestApp, headers: Headers = {}, path = '/articles') {
  const { status, body } = await app.request().get(path).set(headers)
  return status === 200 ? body.data.reader : status
}
