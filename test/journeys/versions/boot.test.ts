import { App, Controller, type DualClassOrMethodDecorator, Get, Version } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'

const versions = { by: 'path', default: '1' } as const

function controllerWith(decorator: DualClassOrMethodDecorator) {
  @Controller('orders')
  class OrdersController {
    @decorator
    @Get()
    list() {}
  }
  return OrdersController
}

describe('the @Version decorator', () => {
  const wrong = [
    [''],
    ['a/b'],
    ['a b'],
    ['A'],
    ['-1'],
    ['1', '*'],
    ['1', '1'],
    ['x'.repeat(33)],
    [],
  ]
  it.each(wrong.map((names) => [names]))('refuses the names %j', async (names) => {
    const decorator = Version(...(names as [string]))
    const [problem] = await bootProblems({
      controllers: [controllerWith(decorator)],
      versions: { by: 'path' },
    })
    expect(problem).toMatchObject({
      code: 'E_VERSION_INVALID',
      subject: 'OrdersController.list @Version',
    })
  })

  it('accepts a name of 32 characters', async () => {
    const decorator = Version('x'.repeat(32))
    expect(
      await bootWarnings({ controllers: [controllerWith(decorator)], versions: { by: 'path' } }),
    ).toEqual([])
  })

  it('refuses invalid names on a class', async () => {
    @Version('a b')
    @Controller('orders')
    class OrdersController {
      @Get() list() {}
    }
    const [problem] = await bootProblems({
      controllers: [OrdersController],
      versions: { by: 'path' },
    })
    expect(problem).toMatchObject({
      code: 'E_VERSION_INVALID',
      subject: 'OrdersController @Version',
    })
  })

  it('requires the option `versions`', async () => {
    const problems = await bootProblems({ controllers: [controllerWith(Version('1', '2'))] })
    expect(problems.map(({ code }) => code)).toEqual(['E_VERSION_UNUSED'])
  })

  it('requires parentheses', () => {
    expect(() => controllerWith(Version as never)).toThrow('E_DECORATOR_TARGET')
  })

  it('can be used only once', async () => {
    @Controller('orders')
    class OrdersController {
      @Version('1')
      @Version('2')
      @Get()
      list() {}
    }
    const [problem] = await bootProblems({ controllers: [OrdersController], versions })
    expect(problem?.code).toBe('E_DECORATOR_CONFLICT')
  })
})

describe('the `versions` option', () => {
  const controllers = [controllerWith(Version('1'))]
  it.each([
    ['versions', 'path'],
    ['versions', []],
    ['versions.by', { by: 'query' }],
    ['versions.by', {}],
    ['versions.by', { by: { header: 'X API' } }],
    ['versions.by', { by: { header: 'Authorization' } }],
    ['versions.by', { by: { header: 'Vary' } }],
    ['versions.by', { by: { header: 'accept' } }],
    ['versions.defualt', { by: 'path', defualt: '1' }],
  ])('refuses an invalid %s', async (subject, given) => {
    const problems = await bootProblems({ controllers, versions: given as never })
    expect(problems.map((each) => [each.code, each.subject])).toContainEqual([
      'E_OPTION_INVALID',
      subject,
    ])
  })

  it('refuses a default that is unknown or invalid', async () => {
    const [unknown] = await bootProblems({ controllers, versions: { by: 'path', default: '3' } })
    expect(unknown).toMatchObject({
      code: 'E_VERSION_DEFAULT',
      cause: 'No route has the version 3. Routes have 1.',
    })
    const several = [controllerWith(Version('10', '2', '2-beta'))]
    const [other] = await bootProblems({
      controllers: several,
      versions: { by: 'path', default: '3' },
    })
    expect(other?.cause).toBe('No route has the version 3. Routes have 2, 2-beta, 10.')
    const [wrong] = await bootProblems({ controllers, versions: { by: 'path', default: 'a/b' } })
    expect(wrong).toMatchObject({ code: 'E_VERSION_INVALID', subject: 'versions.default' })
  })
})

describe.each([
  ['path', versions],
  ['header', { by: { header: 'X-API-Version' }, default: '1' }],
] as const)('routes with the same path and versions by %s', (way, by) => {
  it('cause a boot error if they belong to the same version', async () => {
    @Version('1', '2')
    @Controller('orders')
    class OldController {
      @Get() list() {}
    }
    @Version('2')
    @Controller('orders')
    class NewController {
      @Get() list() {}
    }
    const problems = await bootProblems({
      controllers: [OldController, NewController],
      versions: by,
    })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ code: 'E_ROUTE_DUPLICATE', subject: 'NewController.list' })
    const path = way === 'path' ? '/v2/orders' : '/orders'
    expect(problems[0]?.cause).toBe(
      `GET ${path} of version 2 is already handled by OldController.list.`,
    )
  })

  it('cause a boot error if one of them belongs to every version', async () => {
    @Version('1')
    @Controller('orders')
    class OldController {
      @Get() list() {}
    }
    @Controller('orders')
    class NeutralController {
      @Get() list() {}
    }
    const problems = await bootProblems({
      controllers: [OldController, NeutralController],
      versions: by,
    })
    expect(problems.map(({ code }) => code)).toEqual(['E_ROUTE_DUPLICATE'])
  })
})

it('an application without any @Version has one document, at the path of the option', () => {
  @Controller('orders')
  class OrdersController {
    @Get() list() {}
  }
  const options = { versions: { by: 'path' }, swagger: { path: '/docs' } } as const
  const app = new App({ controllers: [OrdersController], ...options })
  expect(app.documents.map(({ path, version }) => [path, version])).toEqual([['/docs', null]])
  expect(app.document.paths).toHaveProperty('/orders')
})

describe('the path without a version', () => {
  @Version('1')
  @Controller()
  class OldController {
    @Get('api-docs') docs() {}
    @Get('livez') live() {}
  }

  it('belongs to the default version, and cannot be used by another route', async () => {
    const problems = await bootProblems({ controllers: [OldController], versions, health: true })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_ROUTE_DUPLICATE', 'OldController.docs'],
      ['E_ROUTE_DUPLICATE', 'OldController.live'],
    ])
  })
})
