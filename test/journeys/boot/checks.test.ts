import { type } from 'arktype'
import {
  All,
  ApiBody,
  ApiOperation,
  ApiTags,
  App,
  Auth,
  BaseController,
  Body,
  Cache,
  Can,
  type Class,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Injectable,
  Params,
  Post,
  Public,
  Query,
  Redirect,
  Tenant,
} from 'blazon'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

/** Code and subject of every problem. */
async function problemsOf(...controllers: Class[]): Promise<[string, string][]> {
  const problems = await bootProblems({ controllers })
  for (const { cause, remedy } of problems) {
    expect(cause).toMatch(/\S.*\.$/)
    expect(remedy).toMatch(/\S.*\.$/)
  }
  return problems.map(({ code, subject }) => [code, subject])
}

/** The arguments that a legacy compiler passes to the decorator of a method. */
function legacy(target: Class, key: string): [object, string, PropertyDescriptor | undefined] {
  const prototype = target.prototype
  return [prototype, key, Object.getOwnPropertyDescriptor(prototype, key)]
}

async function warningsOf(...controllers: Class[]): Promise<string[]> {
  return (await bootWarnings({ controllers })).map(({ code }) => code)
}

describe('boot', () => {
  it('collects every problem and names class, method, cause and remedy', async () => {
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
  it('are found across controllers and spellings', async () => {
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

  it('are found between a controller and one that inherits its routes', async () => {
    @Controller('base')
    class Base {
      @Get() list() {}
    }
    class Derived extends Base {}
    expect(await problemsOf(Base, Derived)).toEqual([['E_ROUTE_DUPLICATE', 'Derived.list']])
  })

  it('are not reported when paths only overlap', async () => {
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

describe('@Params', () => {
  const schemas = {
    zod: z.object({ id: z.coerce.number(), other: z.string() }),
    valibot: v.object({ id: v.string(), other: v.string() }),
    arktype: type({ id: 'string', other: 'string' }),
    typebox: Type.Object({ id: Type.Number(), other: Type.String() }),
    'JSON Schema': { type: 'object', properties: { id: {}, other: {} } },
  }

  it.each(Object.entries(schemas))(
    'of %s with a key that the path lacks is an error',
    async (_, schema) => {
      @Controller()
      class Items {
        @Params(schema as typeof schemas.zod) @Get(':id') get() {}
      }
      expect(await problemsOf(Items)).toEqual([['E_PARAMS_UNKNOWN_KEY', 'Items.get']])
    },
  )

  it.each(Object.entries(schemas))(
    'of %s without a key of the path is a warning',
    async (_, schema) => {
      @Controller()
      class Items {
        @Params(schema as typeof schemas.zod) @Get(':id/:other/:third') get() {}
      }
      expect(await warningsOf(Items)).toEqual(['W_PATH_PARAMETER_UNDESCRIBED'])
    },
  )

  it('of a schema without known keys causes no warning', async () => {
    @Controller()
    class Items {
      @Params(z.record(z.string(), z.string())) @Get(':id') get() {}
    }
    expect(await warningsOf(Items)).toEqual([])
  })
})

describe('a controller class', () => {
  it('without any decorator is an error whose remedy names the bundler', async () => {
    class Dropped {
      list() {}
    }
    const [problem] = await bootProblems({ controllers: [Dropped] })
    expect(problem).toMatchObject({ code: 'E_DECORATORS_NOT_APPLIED', subject: 'Dropped' })
    expect(problem?.remedy).toContain('bundler')
  })

  it('without routes is a warning', async () => {
    @Controller()
    class Empty extends BaseController {}
    expect(await warningsOf(Empty)).toEqual(['W_CONTROLLER_EMPTY'])
  })

  it('that is not a class is an error with its index', async () => {
    const problems = await bootProblems({ controllers: [undefined as never, {} as never] })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_OPTION_INVALID', 'controllers[0]'],
      ['E_OPTION_INVALID', 'controllers[1]'],
    ])
  })
})

describe('decorators of a method', () => {
  it('without a route decorator are an error', async () => {
    @Controller()
    class Items {
      @Get() list() {}
      @Auth() forgotten() {}
    }
    expect(await problemsOf(Items)).toEqual([['E_DECORATOR_ORPHAN', 'Items.forgotten']])
  })

  it('that contradict each other are an error', async () => {
    @Controller()
    class Items {
      @Public() @Auth() @Get('a') a() {}
      @Public() @Can('x') @Get('b') b() {}
    }
    expect(await problemsOf(Items)).toEqual([
      ['E_DECORATOR_CONFLICT', 'Items.a'],
      ['E_DECORATOR_CONFLICT', 'Items.b'],
    ])
  })

  it('with an undefined schema are an error', async () => {
    @Controller()
    class Items {
      @Query(undefined as never) @Get() list() {}
      @Body('schema' as never) @Post() create() {}
    }
    expect(await problemsOf(Items)).toEqual([
      ['E_SCHEMA_INVALID', 'Items.list'],
      ['E_SCHEMA_INVALID', 'Items.create'],
    ])
  })

  it.each([
    ['a bare shape of zod', { name: z.string() }, 'z.object'],
    ['an example in place of a schema', { name: 'string' }, "type: 'object'"],
    ['a function that makes one', z.object, 'Call it'],
    ['a class', Date, 'z.object'],
    ['a list', [], 'Standard Schema'],
    ['null', null, 'Standard Schema'],
  ])('with %s in place of a schema are an error', async (_, schema, remedy) => {
    @Controller()
    class Items {
      create() {}
    }
    // Applied as functions, as in plain JavaScript: the types refuse all of these.
    Reflect.apply(Post() as never, undefined, legacy(Items, 'create'))
    Reflect.apply(Body(schema as never) as never, undefined, legacy(Items, 'create'))
    const [problem] = await bootProblems({ controllers: [Items] })
    expect(problem).toMatchObject({ code: 'E_SCHEMA_INVALID', subject: 'Items.create' })
    expect(problem?.remedy).toContain(remedy)
  })

  it('with no ability in @Can() are an error', async () => {
    @Controller()
    class Items {
      @Can() @Get() list() {}
    }
    expect(await problemsOf(Items)).toEqual([['E_OPTION_INVALID', 'Items.list']])
  })

  it('with a status or header that HTTP does not allow are an error', async () => {
    @Controller()
    class Items {
      @HttpCode(99) @Get('a') a() {}
      @HttpCode(200.5) @Get('b') b() {}
      @Header('X Bad', 'v') @Get('c') c() {}
      @Header('X-Bad', 'a\r\nb') @Get('d') d() {}
      @Redirect('/x', 200) @Get('e') e() {}
    }
    const problems = await problemsOf(Items)
    expect(problems).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((key) => ['E_OPTION_INVALID', `Items.${key}`]),
    )
  })

  it('with a body on GET are a warning', async () => {
    @Controller()
    class Items {
      @Body(z.object({})) @Get() list() {}
    }
    expect(await warningsOf(Items)).toEqual(['W_BODY_ON_GET'])
  })

  it('that need a guard are a warning when no guard is configured', async () => {
    @Controller()
    class Items {
      @Auth() @Get() list() {}
    }
    expect(await warningsOf(Items)).toEqual(['W_AUTH_WITHOUT_GUARD'])
  })
})

describe('a path', () => {
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
})

describe('strict', () => {
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

describe('decorators that may be used once', () => {
  it('are an error when a class has two', async () => {
    @Controller('a')
    @Controller('b')
    class Twice {
      @Get() list() {}
    }
    @ApiTags('a')
    @ApiTags('b')
    @Tenant()
    @Tenant({ optional: true })
    @Controller('c')
    class More {
      @Get() list() {}
    }
    const problems = await bootProblems({ controllers: [Twice, More] })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_DECORATOR_CONFLICT', 'Twice'],
      ['E_DECORATOR_CONFLICT', 'More'],
      ['E_DECORATOR_CONFLICT', 'More'],
    ])
    expect(problems[0]?.cause).toContain('2 @Controller')
  })

  it('are an error when a method has two', async () => {
    @Controller()
    class Items {
      @HttpCode(201) @HttpCode(202) @Post('a') a() {}
      @Redirect('/x') @Redirect('/y') @Get('b') b() {}
      @Cache({ ttl: '1s' }) @Cache({ ttl: '2s' }) @Get('c') c() {}
      @Tenant() @Tenant({ optional: true }) @Get('d') d() {}
      @ApiOperation({ summary: 'x' }) @ApiOperation({ summary: 'y' }) @Get('e') e() {}
      @ApiBody({ schema: z.string() }) @ApiBody({ schema: z.number() }) @Post('f') f() {}
    }
    expect(await problemsOf(Items)).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => ['E_DECORATOR_CONFLICT', `Items.${key}`]),
    )
  })

  it('are no error in a subclass, or when both mean the same', async () => {
    @Controller('base')
    class Base {
      @HttpCode(201) @Post() create() {}
      @Auth() @Auth() @Header('X-A', '1') @Header('X-B', '1') @Get() list() {}
    }
    @Controller('derived')
    class Derived extends Base {
      @HttpCode(202) override create() {}
    }
    const auth = { guard: { canActivate: () => true } }
    const app = await App.create({ controllers: [Derived], auth, strict: true })
    await app.close()
  })
})

describe('a provider', () => {
  it('with controller decorators that is not in controllers is an error', async () => {
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

  it('that is also a controller, its base class, or injectable is no error', async () => {
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
