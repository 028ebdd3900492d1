import {
  All,
  App,
  Auth,
  BaseController,
  Body,
  Controller,
  Delete,
  Get,
  Injectable,
  Params,
  Post,
  Public,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'
import { problemsOf, warningsOf } from './problems.js'

describe('the boot of an application', () => {
  it('reports all problems together, each with class, method, cause and remedy', async () => {
    @Controller('users')
    class Users {
      @Get() list() {}
      @Get() all() {}
      @Body(z.object({})) @Body(z.object({})) @Post() create() {}
      @Get(':id') @Params(z.object({ userId: z.string() })) get() {}
    }
    class Plain {
      @Get() get() {}
    }
    const problems = await bootProblems({ controllers: [Users, Plain] })
    expect(problems.map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'E_INPUT_TWICE Users.create',
      'E_CONTROLLER_UNDECORATED Plain',
      'E_ROUTE_DUPLICATE Users.all',
      'E_PARAMS_UNKNOWN_KEY Users.get',
    ])
    const failure = await App.create({ controllers: [Users, Plain] }).catch((error) => error)
    expect(failure.message).toContain('4 problems')
    expect(failure.message).toContain('GET /users is already handled by Users.list.')
    expect(failure.message).toContain('Add :userId to the path')
  })
})

describe('duplicate and shadowed routes', () => {
  it('are detected even in different controllers and with different spellings', async () => {
    @Controller('items')
    class Items {
      @Get(':id') byId() {}
      @Get('/:name/') byName() {}
    }
    @Controller('/ITEMS/')
    class More {
      @Get(':key') byKey() {}
      @Post(':key') create() {}
    }
    expect(await problemsOf(Items, More)).toEqual([
      ['E_ROUTE_SHADOWED', 'Items.byName'],
      ['E_ROUTE_SHADOWED', 'More.byKey'],
    ])
  })

  it('are detected between a controller and a subclass that inherits its routes', async () => {
    @Controller('base')
    class Base {
      @Get() list() {}
    }
    class Derived extends Base {}
    expect(await problemsOf(Base, Derived)).toEqual([['E_ROUTE_DUPLICATE', 'Derived.list']])
  })

  it('are not reported if paths only overlap', async () => {
    @Controller('items')
    class Items {
      @Get(':id') byId() {}
      @Get('latest') latest() {}
      @All('latest') others() {}
      @Get(':id/parts') parts() {}
      @Delete(':id') remove() {}
      @Get('files/*path') file() {}
    }
    const app = await App.create({ controllers: [Items], strict: true })
    await app.close()
  })
})

describe('a controller class', () => {
  it('causes an error whose remedy mentions the bundler if it has no decorator', async () => {
    class Dropped {
      list() {}
    }
    const [problem] = await bootProblems({ controllers: [Dropped] })
    expect(problem).toMatchObject({ code: 'E_DECORATORS_NOT_APPLIED', subject: 'Dropped' })
    expect(problem?.remedy).toContain('bundler')
  })

  it('causes a warning if it has no routes', async () => {
    @Controller()
    class Empty extends BaseController {}
    expect(await warningsOf(Empty)).toEqual(['W_CONTROLLER_EMPTY'])
  })

  it('causes an error with its index if it is not a class', async () => {
    const problems = await bootProblems({ controllers: [undefined as never, {} as never] })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_OPTION_INVALID', 'controllers[0]'],
      ['E_OPTION_INVALID', 'controllers[1]'],
    ])
  })
})

describe('a route path', () => {
  it.each([
    ':id?',
    '(a|b)',
    '{/:id}',
    'a+',
    '*',
    'files/*path/more',
    'a*b',
    ':',
    ':id/:id',
    'a b',
    'a%20b',
    'a?x=1',
    'a#b',
  ])('is refused: %s', async (path) => {
    @Controller('p')
    class Items {
      @Get(path) list() {}
    }
    expect(await problemsOf(Items)).toEqual([['E_PATH_SYNTAX', 'Items.list']])
  })

  it.each([
    [':id(\\d+)', "'(' at character 7 has no meaning", "'books\\\\:batchGet'"],
    ['a/:id?', "'?' at character 9 has no meaning", 'two routes'],
    ['caf%C3%A9', "'%' at character 7 has no meaning", 'the decoded character'],
    ['\\d+', 'the backslash at character 4 has no character', 'cannot escape letters'],
    ['a\\', 'the backslash at character 5 has no character', 'or slashes'],
    ['a\\/b', 'the backslash at character 5 has no character', 'or slashes'],
    [':größe', "'ö' at character 7 cannot be in the name", 'ASCII letters'],
    ['::x', "':' at character 4 has no name", 'backslash'],
    [':a:b', "no text separates 'a' from 'b' at character 6", 'literal between'],
    [':a/x/:a', "'a' appears twice, the second time at character 9", 'Rename one'],
    [':__proto__', "'__proto__' at character 4 cannot be the name", 'another name'],
    ['a*b', "'*b' at character 5 must be a separate segment", '`*name`'],
    ['*a/b', "'*a' at character 4 must be at the end", '`*name`'],
    ['../a', "'..' at character 4 never reaches", 'Use another name'],
    ['a/.', "'.' at character 6 never reaches", 'Use another name'],
    ['a\u0001b', 'at character 5 has no meaning', 'backslash'],
    ['a\\\u0001', 'at character 5 has no meaning', 'backslash'],
    ['a\ud800', 'at character 5 has no meaning', 'backslash'],
  ])(
    'is refused with the location of the mistake and a remedy: %j',
    async (path, cause, remedy) => {
      @Controller('p')
      class Items {
        @Get(path) list() {}
      }
      expect(await bootProblems({ controllers: [Items] })).toMatchObject([
        {
          code: 'E_PATH_SYNTAX',
          cause: expect.stringContaining(cause),
          remedy: expect.stringContaining(remedy),
        },
      ])
    },
  )

  it('shadows another path if they differ only in parameter names, case and escapes', async () => {
    @Controller()
    class Items {
      @Get('a/:x.PDF') one() {}
      @Get('a/:y\\.pdf') two() {}
      @Get('b\\:c') three() {}
      @Get('b:c') four() {}
    }
    expect(await problemsOf(Items)).toEqual([['E_ROUTE_SHADOWED', 'Items.two']])
  })
})

describe('the strict option', () => {
  it('turns warnings into errors', async () => {
    @Controller()
    class Items {
      @Body(z.object({})) @Get() list() {}
      @Auth() @Get('x') x() {}
    }
    const options = { controllers: [Items], strict: true, unknownOption: 1 }
    const problems = await bootProblems(options)
    expect(problems.map(({ code }) => code).sort()).toEqual([
      'W_AUTH_WITHOUT_GUARD',
      'W_BODY_ON_GET',
      'W_OPTION_UNKNOWN',
    ])
  })
})

describe('a provider', () => {
  it('causes an error if it has controller decorators but is not in controllers', async () => {
    @Controller('forgotten')
    class Forgotten {
      @Get() list() {}
    }
    @Auth()
    class Guarded {}
    class Routed {
      @Get() list() {}
    }
    @Controller()
    class Items {
      @Get() list() {}
    }
    const problems = await bootProblems({
      controllers: [Items],
      providers: [Forgotten, { provide: 'guarded', useClass: Guarded }],
      modules: [{ name: 'inner', providers: [Routed], exports: [] }],
    })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_DECORATOR_ORPHAN', 'Forgotten'],
      ['E_DECORATOR_ORPHAN', 'Guarded'],
      ['E_DECORATOR_ORPHAN', 'Routed'],
    ])
    expect(problems[2]?.cause).toContain("module 'inner'")
  })

  it('causes no error if it is also a controller, its base class, or injectable', async () => {
    @Auth()
    class Base {
      @Public() @Get() list() {}
    }
    @Controller()
    class Items extends Base {}
    @Injectable()
    class Service {}
    const auth = { guard: { canActivate: () => true } }
    const options = { controllers: [Items], providers: [Items, Base, Service], auth, strict: true }
    const app = await App.create(options)
    await app.close()
  })
})
