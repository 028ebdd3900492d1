import { type } from 'arktype'
import {
  ApiBody,
  ApiOperation,
  ApiTags,
  App,
  Auth,
  Body,
  Cache,
  Can,
  type Class,
  Controller,
  Get,
  Header,
  HttpCode,
  inject,
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
import { bootProblems } from '../../support.js'
import { problemsOf, warningsOf } from './problems.js'

/** The arguments that a legacy compiler passes to the decorator of a method. */
function legacy(target: Class, key: string): [object, string, PropertyDescriptor | undefined] {
  const prototype = target.prototype
  return [prototype, key, Object.getOwnPropertyDescriptor(prototype, key)]
}

describe('a message about an input', () => {
  const schema = z.object({ other: z.string() })

  it('contains the key of a route decorator, such as `params` in @Get()', async () => {
    @Controller()
    class Items {
      @Get(':id', { params: schema, body: schema, query: z.object({ a: z.object({}) }) }) get() {}
    }
    const problems = await bootProblems({ controllers: [Items], strict: true })
    const texts = problems.map(({ subject, cause }) => `${subject}: ${cause}`).join('\n')
    expect(texts).toContain(
      "`params` in @Get() describes 'other', but the path /:id has no :other.",
    )
    expect(texts).toContain('has :id, but `params` in @Get() does not describe it')
    expect(texts).toContain('It has `body` in @Get() on GET')
    expect(texts).not.toMatch(/@Params|@Body|@Query/)
  })

  it('contains the key of a route decorator for a body with options', async () => {
    @Controller()
    class Items {
      @Get('', { body: { type: 'text' } }) get() {}
    }
    const [problem] = await bootProblems({ controllers: [Items], strict: true })
    expect(problem?.cause).toContain('It has `body` in @Get() on GET')
  })

  it('contains the name of an input decorator, such as @Params', async () => {
    @Controller()
    class Items {
      @Params(schema) @Get(':id') get() {}
    }
    const problems = await bootProblems({ controllers: [Items], strict: true })
    const texts = problems.map(({ cause, remedy }) => `${cause} ${remedy}`).join('\n')
    expect(texts).toContain("@Params describes 'other'")
    expect(texts).toContain("Add 'id' to the schema of @Params:")
  })

  it('contains the key of a nested query parameter, and of a body on a cached route', async () => {
    @Controller()
    class Nested {
      @Get('', { query: z.object({ a: z.object({}) }) }) get() {}
    }
    const [nested] = await bootProblems({ controllers: [Nested], strict: true })
    expect(nested?.subject).toBe("Nested.get `query` in @Get() at 'a'")
    @Controller()
    class Cached {
      @Cache({ ttl: '1m' })
      @Get('', { body: schema })
      get() {}
    }
    const problems = await bootProblems({ controllers: [Cached] })
    expect(problems.map(({ cause }) => cause).join()).toContain('@Cache and `body` in @Get():')
  })
})

it('the remedy for a missing provider mentions the application and its modules', async () => {
  class Missing {}
  @Controller()
  class Items {
    readonly missing = inject(Missing)
    @Get() get() {}
  }
  const [problem] = await bootProblems({ controllers: [Items] })
  expect(problem?.code).toBe('E_PROVIDER_MISSING')
  expect(problem?.remedy).toContain('`providers` of the application or of a module')
})

describe('the @Params decorator', () => {
  const schemas = {
    zod: z.object({ id: z.coerce.number(), other: z.string() }),
    valibot: v.object({ id: v.string(), other: v.string() }),
    arktype: type({ id: 'string', other: 'string' }),
    typebox: Type.Object({ id: Type.Number(), other: Type.String() }),
    'JSON Schema': { type: 'object', properties: { id: {}, other: {} } },
  }

  it.each(Object.entries(schemas))(
    'causes an error if the schema (%s) has a key that is not in the path',
    async (_, schema) => {
      @Controller()
      class Items {
        @Params(schema as typeof schemas.zod) @Get(':id') get() {}
      }
      expect(await problemsOf(Items)).toEqual([['E_PARAMS_UNKNOWN_KEY', 'Items.get']])
    },
  )

  it.each(Object.entries(schemas))(
    'causes a warning if the schema (%s) lacks a parameter of the path',
    async (_, schema) => {
      @Controller()
      class Items {
        @Params(schema as typeof schemas.zod) @Get(':id/:other/:third') get() {}
      }
      expect(await warningsOf(Items)).toEqual(['W_PATH_PARAMETER_UNDESCRIBED'])
    },
  )

  it('causes no warning if the keys of the schema are unknown', async () => {
    @Controller()
    class Items {
      @Params(z.record(z.string(), z.string())) @Get(':id') get() {}
    }
    expect(await warningsOf(Items)).toEqual([])
  })
})

describe('the decorators of a method', () => {
  it('cause an error if there is no route decorator', async () => {
    @Controller()
    class Items {
      @Get() list() {}
      @Auth() forgotten() {}
    }
    expect(await problemsOf(Items)).toEqual([['E_DECORATOR_ORPHAN', 'Items.forgotten']])
  })

  it('cause an error if they contradict each other', async () => {
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

  it('cause an error if their schema is undefined or a string', async () => {
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
    ['a bare zod shape', { name: z.string() }, 'z.object'],
    ['an example value', { name: 'string' }, "type: 'object'"],
    ['a function that creates a schema', z.object, 'Call it'],
    ['a class', Date, 'z.object'],
    ['a list', [], 'Standard Schema'],
    ['null', null, 'Standard Schema'],
  ])('cause an error if they contain %s instead of a schema', async (_, schema, remedy) => {
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

  it('cause an error if @Can() has no ability', async () => {
    @Controller()
    class Items {
      @Can() @Get() list() {}
    }
    expect(await problemsOf(Items)).toEqual([['E_OPTION_INVALID', 'Items.list']])
  })

  it('cause an error if they contain a status or header that HTTP does not allow', async () => {
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

  it('cause a warning if they describe a body on GET', async () => {
    @Controller()
    class Items {
      @Body(z.object({})) @Get() list() {}
    }
    expect(await warningsOf(Items)).toEqual(['W_BODY_ON_GET'])
  })

  it('cause a warning if they require a guard and no guard is configured', async () => {
    @Controller()
    class Items {
      @Auth() @Get() list() {}
    }
    expect(await warningsOf(Items)).toEqual(['W_AUTH_WITHOUT_GUARD'])
  })
})

describe('decorators that can be used only once', () => {
  it('cause an error if a class has the same one twice', async () => {
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

  it('cause an error if a method has the same one twice', async () => {
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

  it('cause no error if the second one is in a subclass', async () => {
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
