import { Auth, Controller, defineControllers, Get, Post, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { start } from './listening-app.js'
import { exchange, request } from './raw-connection.js'

const ran: string[] = []
const guard = {
  async canActivate(req: Request) {
    ran.push('guard')
    req.user = JSON.parse(req.get('x-user') ?? 'null') ?? undefined
    return req.user !== undefined
  },
}

beforeEach(() => {
  ran.length = 0
})

@Auth()
@Controller('Admin/users')
class AdminController {
  @Get()
  list() {
    ran.push('handler')
  }

  @Get(':id/keys')
  keys() {
    ran.push('handler')
  }

  @Get('me')
  me() {
    ran.push('handler')
  }

  @Post('files/*path')
  files() {
    ran.push('handler')
  }
}

@Controller('admin')
class OpenController {
  @Get('open/:id')
  open() {
    ran.push('open')
  }
}

/** A random number generator with a seed, so that a failure can be repeated. */
function createRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state % below
  }
}

const random = createRandom(20_261)
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
const hex = (char: string) => `%${char.charCodeAt(0).toString(16)}`
const at = (path: string, what: string) => {
  const index = 1 + random(path.length)
  return path.slice(0, index) + what + path.slice(index)
}

const mutations: ((path: string) => string)[] = [
  (path) => path.replace(/[a-z]/gi, (c) => (random(2) ? c.toUpperCase() : c.toLowerCase())),
  (path) => path.replace(/[a-z]/gi, (c) => (random(4) ? c : hex(c))),
  (path) =>
    path.replace(/[a-z]/gi, (c) => (random(4) ? c : hex(c).toUpperCase().replace('%', '%25'))),
  (path) =>
    path.replace(/\//g, (c) =>
      random(3) ? c : pick(['//', '%2f', '%2F', '\\', '/./', '%5c', '/%2e/']),
    ),
  (path) =>
    path +
    pick([
      '/',
      '//',
      '/.',
      '/..',
      '/x/..',
      '/%2e%2e',
      '%20',
      '.',
      '.json',
      '%00',
      '?',
      '?a=/x',
      '#',
      ';',
      ';a=b',
    ]),
  (path) =>
    at(
      path,
      pick([
        ';',
        ';x=1',
        '%3b',
        '%00',
        '%09',
        '.',
        '/..',
        '/x/..',
        '%e2%80%8b',
        '%c0%af',
        '?',
        '#',
        '%',
      ]),
    ),
  (path) =>
    pick([
      'http://localhost',
      'HTTP://LOCALHOST',
      'http://evil.example',
      'http://localhost:80',
      '/',
      '/.',
      '/x/..',
      '/open/..',
      '//localhost',
      '/admin/open/..',
    ]) + path,
  (path) => path.replace(/i/i, pick(['\u0130', '\u0131', '%C4%B0', '%69', '%49', 'I'])),
  (path) => path.replace(/s/i, pick(['%C5%BF', '%73', 'S'])),
]

describe('every spelling of a protected path', () => {
  it('runs the guard or matches no route', async () => {
    const controllers = defineControllers(AdminController, OpenController)
    const { port } = await start({ controllers, auth: { guard } })
    const paths = [
      '/admin/users',
      '/admin/users/7/keys',
      '/admin/users/me',
      '/admin/users/files/a/b',
    ]
    const methods = ['GET', 'HEAD', 'POST']
    const spellings = Array.from({ length: 800 }, () => {
      let path = pick(paths)
      for (let i = random(3); i >= 0; i--) path = pick(mutations)(path)
      return Buffer.from(path).toString('latin1')
    })
    const statuses = new Set<number>()
    for (const path of spellings) {
      ran.length = 0
      const method = pick(methods)
      const isHead = method === 'HEAD'
      const [answer] = await exchange(port, request(path, [], { method }), { isHead })
      const status = answer?.status ?? 0
      statuses.add(status)
      expect([400, 401, 404, 405], `${status} for ${path}`).toContain(status)
      expect(ran, path).toEqual(status === 401 ? ['guard'] : [])
    }
    // Every status has occurred; otherwise the spellings would not test enough.
    expect([...statuses].sort()).toEqual([400, 401, 404, 405])
  })

  it('passes decoded parameters to the guard', async () => {
    const seen: unknown[] = []
    const app = await TestApp.create({
      contract: 'throw',
      controllers: defineControllers(AdminController),
      auth: {
        guard: {
          canActivate: (req: Request) => {
            seen.push(req.params)
            return false
          },
        },
      },
    })
    await app.request().get('/ADMIN/users/%61%2Fb/keys/')
    expect(seen).toEqual([{ id: 'a/b' }])
    await app.close()
  })
})
