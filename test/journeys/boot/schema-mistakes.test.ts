import {
  ApiBody,
  ApiResponseDoc,
  Body,
  type Class,
  Controller,
  Get,
  Headers,
  Params,
  Post,
  Query,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { IsString } from 'class-validator'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

class Dto {}

class TitledDto {
  title = ''
  description = ''
}

class Checked {
  name!: string
}
Reflect.apply(IsString() as never, undefined, [Checked.prototype, 'name'])

class Kept {
  static readonly schema = z.object({ name: z.string() })
}

class Standing {
  static readonly '~standard' = z.object({ name: z.string() })['~standard']
}

const described = { status: 200, description: 'Done' } as const

/** Controllers that take a schema, one for each place where a schema may be given. */
const PLACES: [place: string, take: (schema: never) => Class][] = [
  [
    '@Body',
    (schema) => {
      @Controller('a')
      class Items {
        @Post() @Body(schema) take() {}
      }
      return Items
    },
  ],
  [
    '@Query',
    (schema) => {
      @Controller('a')
      class Items {
        @Get() @Query(schema) take() {}
      }
      return Items
    },
  ],
  [
    '@Params',
    (schema) => {
      @Controller('a')
      class Items {
        @Get(':id') @Params(schema) take() {}
      }
      return Items
    },
  ],
  [
    '@Headers',
    (schema) => {
      @Controller('a')
      class Items {
        @Get() @Headers(schema) take() {}
      }
      return Items
    },
  ],
  [
    '@ApiBody',
    (schema) => {
      @Controller('a')
      class Items {
        @Post() @ApiBody({ schema }) take() {}
      }
      return Items
    },
  ],
  [
    '@ApiResponseDoc',
    (schema) => {
      @Controller('a')
      class Items {
        @Get() @ApiResponseDoc({ ...described, schema }) take() {}
      }
      return Items
    },
  ],
]

const inherited = Object.create({ type: 'object' })

const MISTAKES: [what: string, given: unknown, cause: string, remedy: string][] = [
  ['a class', Dto, 'the class Dto', 'z.object('],
  [
    'a class with class-validator decorators',
    Checked,
    'class-validator',
    "static readonly '~standard'",
  ],
  ['a class that keeps a schema', Kept, 'the class Kept', 'Pass Kept.schema'],
  ['an object without fields', new Dto(), 'an object of the class Dto', 'z.object('],
  [
    'an object whose fields have names of JSON Schema keywords',
    new TitledDto(),
    'TitledDto',
    'z.object(',
  ],
  [
    'an object of a class that is a schema',
    new Standing(),
    'Standing',
    'Pass the class itself: Standing.',
  ],
  ['a Map', new Map(), 'an object of the class Map', 'z.object('],
  ['a date', new Date(), 'an object of the class Date', 'z.object('],
  ['a promise', Promise.resolve(z.object({})), 'a Promise', 'Await it'],
  ['an object that inherits', inherited, 'inherits', 'z.object('],
  ['an array', [z.object({})], 'not a schema', 'Standard Schema'],
  [
    'a class within a JSON Schema',
    { type: 'object', properties: { to: Dto } },
    'properties.to is the class Dto',
    'z.object(',
  ],
  [
    'an object within a JSON Schema',
    { type: 'array', items: { anyOf: [{}, new Dto()] } },
    'items.anyOf.1 is an object of the class Dto',
    'z.object(',
  ],
  [
    'a schema within a JSON Schema',
    { type: 'object', properties: { a: z.object({}) } },
    'a library schema at properties.a',
    'all of it',
  ],
  ['a broken Standard Schema', { '~standard': { version: 1 } }, '~standard', "type: 'object'"],
]

describe.each(PLACES)('the schema of %s', (place, take) => {
  it.each(MISTAKES)('is refused if it is %s', async (_what, given, cause, remedy) => {
    const problems = await bootProblems({ controllers: [take(given as never)] })
    const [problem, ...others] = problems.filter(({ code }) => code === 'E_SCHEMA_INVALID')
    expect(others).toEqual([])
    expect(`${problem?.subject} ${problem?.cause}`).toContain(place)
    expect(problem?.subject).toMatch(/^Items\.take/)
    expect(problem?.cause).toContain(cause)
    expect(problem?.remedy).toContain(remedy)
  })

  it.each([
    [
      'a JSON Schema without a prototype',
      Object.assign(Object.create(null), { type: 'object', properties: { id: {} } }),
    ],
    ['an empty JSON Schema, which accepts anything', {}],
    ['a TypeBox schema', Type.Object({ id: Type.Any() })],
    ['an unsafe TypeBox schema', Type.Unsafe<string>({ type: 'object', properties: { id: {} } })],
    [
      'a JSON Schema whose values are objects',
      { type: 'object', properties: { id: { default: new Date(0) } } },
    ],
    ['a JSON Schema that contains the same object twice', recursive()],
    [
      'a class that is a Standard Schema',
      class Id {
        static readonly '~standard' = z.object({ id: z.string() })['~standard']
      },
    ],
  ])('can be %s', async (_what, schema) => {
    const app = await TestApp.create({ controllers: [take(schema as never)], logger: false })
    await app.close()
  })
})

/** The same object in two places. */
function recursive(): object {
  const id = { type: 'string' }
  return { type: 'object', properties: { id }, $defs: { id } }
}

describe('a class that is a Standard Schema', () => {
  it('validates the body, and reports its own errors', async () => {
    @Controller('names')
    class Names {
      @Post()
      @Body(Standing as never)
      create({ body }: Request) {
        return body
      }
    }
    const app = await TestApp.create({ controllers: [Names], logger: false })
    const request = app.request()
    expect((await request.post('/names').send({ name: 'Ada', more: 1 })).body.data).toEqual({
      name: 'Ada',
    })
    expect((await request.post('/names').send({ name: 1 })).body.errors).toMatchObject([
      { path: 'name' },
    ])
    await app.close()
  })
})
