import {
  ApiTags,
  App,
  Auth,
  Body,
  Can,
  Controller,
  defineControllers,
  file,
  Get,
  Header,
  HttpCode,
  Post,
  Public,
  Query,
  type Request,
  type RouteModel,
  Upload,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

type Decorate = () => ReturnType<typeof Public>

const ACCESS: Record<string, Decorate> = {
  public: () => Public(),
  auth: () => Auth(),
  can: () => Can('write'),
  'can other': () => Can('read'),
}

const accessOf = (name: string) => ACCESS[name] as Decorate

/** Statuses without a user, for a user without abilities, and for two users with one ability each. */
const EXPECTED: Record<string, readonly number[]> = {
  public: [200, 200, 200, 200],
  auth: [401, 200, 200, 200],
  can: [401, 403, 200, 403],
  'can other': [401, 403, 403, 200],
}

const WHO = [undefined, 'none', 'write', 'read']

const guard = {
  canActivate(req: Request) {
    const who = req.get('x-who')
    if (who === undefined) return false
    req.user = { id: who, permissions: [who] }
    return true
  },
}

const pairs = Object.keys(ACCESS).flatMap((base) =>
  Object.keys(ACCESS).map((own) => [base, own] as const),
)

describe('an overriding method', () => {
  it.each(pairs)(
    'has only its own access decorator: %s in the base class, %s in the subclass',
    async (base, own) => {
      const [BaseAccess, OwnAccess] = [accessOf(base), accessOf(own)]
      class Base {
        @BaseAccess()
        @Get('door')
        open() {
          return 'base'
        }
      }
      @Controller('house')
      class House extends Base {
        @OwnAccess()
        override open() {
          return 'own'
        }
      }
      await using app = await TestApp.create({
        controllers: defineControllers(House),
        auth: { guard },
        logger: false,
      })
      const statuses: number[] = []
      for (const who of WHO) {
        const caller = who === undefined ? app : app.with({ 'x-who': who })
        const { status, body } = await caller.request().get('/house/door')
        if (status === 200) expect(body.data).toBe('own')
        statuses.push(status)
      }
      expect(statuses).toEqual(EXPECTED[own])
    },
  )

  it.each(Object.keys(ACCESS))(
    'inherits the access decorator of the base method if it has none: %s',
    async (base) => {
      const BaseAccess = accessOf(base)
      class Base {
        @BaseAccess()
        @Get('door')
        open() {
          return 'base'
        }
      }
      @Controller('house')
      class House extends Base {
        @HttpCode(200)
        override open() {
          return 'own'
        }
      }
      await using app = await TestApp.create({
        controllers: defineControllers(House),
        auth: { guard },
        logger: false,
      })
      const statuses: number[] = []
      for (const who of WHO) {
        const caller = who === undefined ? app : app.with({ 'x-who': who })
        statuses.push((await caller.request().get('/house/door')).status)
      }
      expect(statuses).toEqual(EXPECTED[base])
    },
  )

  it('replaces an inherited @Header of the same name in another case, and keeps the others', async () => {
    class Base {
      @Header('X-A', 'base')
      @Header('X-B', 'base')
      @Get('page')
      page() {
        return 'base'
      }
    }
    @Controller('house')
    class House extends Base {
      @Header('x-a', 'own')
      override page() {
        return 'own'
      }
    }
    await using app = await TestApp.create({ controllers: defineControllers(House), logger: false })
    const { headers } = await app.request().get('/house/page')
    expect([headers['x-a'], headers['x-b']]).toEqual(['own', 'base'])
    const names = Object.keys(app.document.paths['/house/page']?.get?.responses['2XX'] ?? {})
    expect(names).toContain('headers')
    const documented = app.document.paths['/house/page']?.get?.responses['2XX']
    const described = documented !== undefined && 'headers' in documented ? documented.headers : {}
    expect(Object.keys(described ?? {}).map((name) => name.toLowerCase())).toEqual(['x-a', 'x-b'])
  })

  it('replaces an inherited @Query, and keeps the other inherited decorators', async () => {
    const Page = z.object({ page: z.coerce.number() })
    class Base {
      @Query(Page)
      @HttpCode(202)
      @Get('list')
      list(_req: Request): unknown {
        return 'base'
      }
    }
    @Controller('house')
    class House extends Base {
      @Query(z.object({ page: z.coerce.number().max(5) }))
      override list({ query }: Request) {
        return query
      }
    }
    await using app = await TestApp.create({ controllers: defineControllers(House), logger: false })
    const fine = await app.request().get('/house/list?page=5')
    expect([fine.status, fine.body.data]).toEqual([202, { page: 5 }])
    expect((await app.request().get('/house/list?page=6')).status).toBe(400)
  })

  it('replaces an inherited form by a body, and a body by a form', async () => {
    const Note = z.object({ text: z.string() })
    class Base {
      @Upload({ text: z.string(), image: file() })
      @Post('form')
      form(_req: Request): unknown {
        return 'base'
      }

      @Body(Note)
      @Post('body')
      body(_req: Request): unknown {
        return 'base'
      }
    }
    @Controller('house')
    class House extends Base {
      @Body(Note)
      override form({ body }: Request) {
        return body
      }

      @Upload({ text: z.string(), image: file() })
      override body({ body }: Request) {
        return body
      }
    }
    await using app = await TestApp.create({ controllers: defineControllers(House), logger: false })
    const sent = await app.request().post('/house/form').send({ text: 'a' })
    expect([sent.status, sent.body.data]).toEqual([200, { text: 'a' }])
    const types = ['form', 'body'].map((name) => {
      const { requestBody } = app.document.paths[`/house/${name}`]?.post ?? {}
      return Object.keys((requestBody as { content?: object } | undefined)?.content ?? {})
    })
    expect(types).toEqual([['application/json'], ['multipart/form-data']])
  })

  it('combines the abilities of its class and of @Can, each only once', async () => {
    const seen: unknown[] = []
    const check = ({ abilities }: RouteModel) => void seen.push(abilities)
    @Can('read', 'write')
    @Controller('house')
    class House {
      @Can('write', 'read', 'own')
      @Get()
      open() {}
    }
    const plugins = [{ name: 'look', check }]
    new App({ controllers: [House], plugins, auth: { guard }, logger: false }).getRouteTable()
    expect(seen).toEqual([['read', 'write', 'own']])
  })
})

describe('a class decorator', () => {
  @ApiTags('Base')
  @Controller('base')
  class Base {
    @Get('door')
    open() {
      return 'base'
    }
  }

  it('replaces the same decorator of the base class, and is inherited by subclasses', async () => {
    @ApiTags('Houses')
    @Controller('house')
    class House extends Base {}
    @Controller('hut')
    class Hut extends House {}
    await using app = await TestApp.create({
      controllers: defineControllers(Base, House, Hut),
      logger: false,
    })
    const { paths } = app.document
    expect(Object.entries(paths).map(([path, item]) => [path, item.get?.tags])).toEqual([
      ['/base/door', ['Base']],
      ['/house/door', ['Houses']],
      ['/hut/door', ['Houses']],
    ])
    for (const path of Object.keys(paths)) {
      expect((await app.request().get(path)).status).toBe(200)
    }
  })
})
