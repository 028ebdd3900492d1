import {
  Auth,
  type AuthOptions,
  Can,
  type Class,
  Controller,
  defineControllers,
  Get,
  Head,
  Options,
  Post,
  Public,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ran: string[] = []
const guard = {
  async canActivate(req: Request) {
    ran.push('guard')
    const user = req.get('x-user')
    req.user = user === undefined ? undefined : JSON.parse(user)
    return req.user !== undefined
  },
}

let app: TestApp

beforeEach(() => {
  ran.length = 0
})
afterEach(() => app.close())

async function startWith(controllers: Class[], auth: AuthOptions = {}) {
  app = await TestApp.create({
    contract: 'throw',
    controllers: defineControllers(...controllers),
    auth: { guard, ...auth },
    logger: false,
  })
}

type Verb = 'get' | 'head' | 'post' | 'options'

/** The statuses without a user and with a user. */
async function statuses(path: string, verb: Verb = 'get', user: object = { id: 1 }) {
  const nobody = await app.request()[verb](path)
  const known = await app.request()[verb](path).set('x-user', JSON.stringify(user))
  return [nobody.status, known.status]
}

const CLOSED = [401, 200]
const OPEN = [200, 200]

describe('a protected class', () => {
  @Auth()
  @Controller('mixed')
  class MixedController {
    @Get()
    list() {
      return 1
    }

    @Public()
    @Get('open')
    open() {
      return 1
    }

    @Get(':id')
    get() {
      return 1
    }

    @Post()
    create() {
      return 1
    }
  }

  it('requires a user for all its routes except the method with @Public', async () => {
    await startWith([MixedController])
    expect(await statuses('/mixed/open')).toEqual(OPEN)
    for (const path of ['/mixed', '/mixed/1', '/mixed/openx', '/mixed/open1', '/mixed/ope']) {
      expect(await statuses(path)).toEqual(CLOSED)
    }
    expect(await statuses('/mixed', 'post')).toEqual(CLOSED)
  })

  it('runs the guard for HEAD requests, but not for automatic OPTIONS responses', async () => {
    await startWith([MixedController])
    expect(await statuses('/mixed', 'head')).toEqual(CLOSED)
    expect(await statuses('/mixed/1', 'head')).toEqual(CLOSED)
    ran.length = 0
    expect(await statuses('/mixed', 'options')).toEqual(OPEN)
    expect(ran).toEqual([])
  })

  it('runs the guard for its own HEAD and OPTIONS routes', async () => {
    @Auth()
    @Controller('declared')
    class DeclaredController {
      @Head()
      head() {
        return 1
      }

      @Options()
      options() {
        return 1
      }
    }
    await startWith([DeclaredController])
    expect(await statuses('/declared', 'head')).toEqual(CLOSED)
    expect(await statuses('/declared', 'options')).toEqual(CLOSED)
  })
})

describe('a base class of controllers', () => {
  @Auth()
  @Controller('base')
  class BaseController {
    @Get('inherited')
    inherited(): unknown {
      return 1
    }

    @Get('overridden')
    overridden(): unknown {
      return 1
    }

    @Public()
    @Get('opened')
    opened(): unknown {
      return 1
    }
  }

  class PlainBase {
    @Auth()
    @Get('closed')
    closed(): unknown {
      return 1
    }

    @Can('admin')
    @Get('can')
    can(): unknown {
      return 1
    }

    @Get('open')
    open(): unknown {
      return 1
    }
  }

  it('passes @Auth on to a subclass without access decorators', async () => {
    @Controller('derived')
    class DerivedController extends BaseController {
      override overridden() {
        return 2
      }

      @Get('own')
      own() {
        return 1
      }
    }
    await startWith([DerivedController])
    for (const path of ['inherited', 'overridden', 'own']) {
      expect(await statuses(`/derived/${path}`)).toEqual(CLOSED)
    }
    expect(await statuses('/derived/opened')).toEqual(OPEN)
  })

  it('passes access decorators of methods on to overriding methods', async () => {
    @Controller('methods')
    class DerivedController extends PlainBase {
      override closed() {
        return 2
      }

      @Get('elsewhere')
      override can() {
        return 2
      }
    }
    await startWith([DerivedController])
    expect(await statuses('/methods/closed')).toEqual(CLOSED)
    expect(await statuses('/methods/elsewhere')).toEqual([401, 403])
    expect(await statuses('/methods/open')).toEqual(OPEN)
  })

  it('can be protected by @Auth on the subclass', async () => {
    @Auth()
    @Controller('added')
    class DerivedController extends PlainBase {}
    await startWith([DerivedController])
    expect(await statuses('/added/open')).toEqual(CLOSED)
  })
})

describe('the required abilities of a route', () => {
  @Can('read')
  @Controller('things')
  class ThingsController {
    @Get()
    list() {
      return 1
    }

    @Can('write', 'sign')
    @Post()
    create() {
      return 1
    }

    @Public()
    @Get('open')
    open() {
      return 1
    }
  }

  it('require a user, and include all abilities of the class and of the method', async () => {
    await startWith([ThingsController])
    expect(await statuses('/things', 'get', { roles: ['read'] })).toEqual([401, 200])
    expect(await statuses('/things', 'get', { permissions: ['read'] })).toEqual([401, 200])
    expect(await statuses('/things', 'head', { roles: [] })).toEqual([401, 403])
    const all = { roles: ['read', 'sign'], permissions: ['write'] }
    expect(await statuses('/things', 'post', all)).toEqual([401, 200])
    for (const roles of [['read'], ['write', 'sign'], ['read', 'write']]) {
      expect(await statuses('/things', 'post', { roles })).toEqual([401, 403])
    }
    expect(await statuses('/things/open')).toEqual(OPEN)
  })

  it.each<object>([
    {},
    { roles: 'read' },
    { roles: 'readers' },
    { roles: { includes: 'read' } },
    { roles: null },
    { roles: [['read']] },
    { roles: ['Read', 'read ', '*'] },
    { permissions: 'read' },
    { role: ['read'] },
    { __proto__: { roles: ['read'] } },
  ])('are not granted to the user %j', async (user) => {
    await startWith([ThingsController])
    expect(await statuses('/things', 'get', user)).toEqual([401, 403])
  })

  it('are granted by auth.can only if it returns true', async () => {
    for (const [verdict, status] of [
      [true, 200],
      [Promise.resolve(true), 200],
      [{ then: (ok: (value: unknown) => void) => ok(true) }, 200],
      [false, 403],
      [1, 403],
      ['true', 403],
      [{}, 403],
      [undefined, 403],
      [null, 403],
      [Promise.resolve(1), 403],
      [{ then: (ok: (value: unknown) => void) => void setTimeout(ok, 1, false) }, 403],
    ] as const) {
      await startWith([ThingsController], { can: () => verdict as boolean })
      expect(await statuses('/things')).toEqual([401, status])
      await app.close()
    }
  })

  it('result in a 500 response if auth.can throws', async () => {
    for (const value of [undefined, null, false, 'route', new Error('x')]) {
      const thrower = () => {
        throw value
      }
      for (const can of [thrower, () => Promise.reject(value)]) {
        await startWith([ThingsController], { can })
        const [, status] = await statuses('/things')
        expect(status).toBe(500)
        await app.close()
      }
    }
  })
})

describe("the option auth.default with 'protected'", () => {
  @Controller('plain')
  class PlainController {
    @Get()
    list() {
      return 1
    }

    @Public()
    @Get('open')
    open() {
      return 1
    }
  }

  it('protects every route without @Public', async () => {
    await startWith([PlainController], { default: 'protected' })
    expect(await statuses('/plain')).toEqual(CLOSED)
    expect(await statuses('/plain', 'head')).toEqual(CLOSED)
    expect(await statuses('/plain/open')).toEqual(OPEN)
    expect(app.getRouteTable().map(({ path, isProtected }) => [path, isProtected])).toEqual([
      ['/plain', true],
      ['/plain/open', false],
    ])
  })

  it('is refused at boot if it is misspelled', async () => {
    await startWith([PlainController])
    const auth = { guard, default: 'Protected' as 'protected' }
    const controllers = defineControllers(PlainController)
    await expect(
      TestApp.create({ contract: 'throw', controllers, auth, logger: false }),
    ).rejects.toThrow(/auth.default/)
  })
})
