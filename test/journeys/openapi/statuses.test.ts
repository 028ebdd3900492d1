import {
  All,
  ApiResponseDoc,
  App,
  type Class,
  Controller,
  Delete,
  Get,
  Head,
  Headers,
  HttpCode,
  Post,
  Put,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const pathsOf = (...controllers: Class[]) => new App({ controllers, logger: false }).document.paths

/** `METHOD path` of all operations. */
function operationsOf(...controllers: Class[]): string[] {
  return Object.entries(pathsOf(...controllers)).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

describe('a documented response', () => {
  it.each([204, 205, 304])('has no content for a status that allows no body: %i', (status) => {
    @Controller('a')
    class Stated {
      @HttpCode(status) @Post() create() {}

      @ApiResponseDoc({ status, description: 'Said', schema: z.object({ a: z.string() }) })
      @Get()
      get() {}
    }
    const operations = pathsOf(Stated)['/a']
    for (const operation of [operations?.post, operations?.get]) {
      const response = operation?.responses[String(status)]
      expect(response).toBeDefined()
      expect(response).not.toHaveProperty('content')
    }
  })

  it.each([200, 201, 206, 203])('has content for a status that allows a body: %i', (status) => {
    @Controller('a')
    class Stated {
      @HttpCode(status) @Post() create() {}
    }
    expect(pathsOf(Stated)['/a']?.post?.responses[String(status)]).toHaveProperty('content')
  })
})

describe('@All and another route', () => {
  const EXPECTED = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT']

  it.each([
    ['with another parameter name', ':b'],
    ['with the same parameter name', ':a'],
  ])('are documented once for each method if they have the same path shape %s', (_, path) => {
    @Controller('x')
    class Things {
      @All(':a') any() {}
      @Get(path) one() {}
    }
    const operations = operationsOf(Things)
    expect(operations.map((operation) => operation.split(' ')[0]).sort()).toEqual(EXPECTED)
  })

  it.each(['before', 'after'])(
    'are documented once for each method in any order: the other route is %s @All',
    (where) => {
      @Controller('x')
      class Other {
        @Get(':b') one() {}
        @Put(':b') change() {}
        @Delete(':b') remove() {}
      }
      @Controller('x')
      class Anything {
        @All(':a') any() {}
      }
      const controllers = where === 'before' ? [Other, Anything] : [Anything, Other]
      const operations = operationsOf(...controllers)
      expect(operations.map((operation) => operation.split(' ')[0]).sort()).toEqual(EXPECTED)
      const ids = Object.values(pathsOf(...controllers)).flatMap((each) =>
        Object.values(each).map(({ operationId }) => operationId),
      )
      expect(ids.filter((id) => id?.startsWith('Anything')).sort()).toEqual([
        'Anything_any_patch_x_a',
        'Anything_any_post_x_a',
      ])
    },
  )

  it('are documented separately if their path shapes differ', () => {
    @Controller('x')
    class Things {
      @All(':a') any() {}
      @Get(':b/more') one() {}
      @Head('only') only() {}
    }
    expect(operationsOf(Things).sort()).toEqual([
      'DELETE /x/{a}',
      'GET /x/{a}',
      'GET /x/{b}/more',
      'HEAD /x/only',
      'PATCH /x/{a}',
      'POST /x/{a}',
      'PUT /x/{a}',
    ])
  })
})

describe('headers that OpenAPI describes elsewhere', () => {
  it('are not documented as parameters, whatever their case is', () => {
    const schema = z.object({
      Authorization: z.string().optional(),
      'Content-Type': z.string().optional(),
      ACCEPT: z.string().optional(),
      'X-Trace': z.string().optional(),
      'authorization-more': z.string().optional(),
    })
    @Controller('a')
    class Traced {
      @Headers(schema) @Get() get() {}
    }
    const names = pathsOf(Traced)['/a']?.get?.parameters?.map(({ name }) => name)
    expect(names).toEqual(['X-Trace', 'authorization-more'])
  })
})
