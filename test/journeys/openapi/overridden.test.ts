import { ApiResponseDoc, App, Controller, Get, Header, Headers, Query, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

class Base {
  @ApiResponseDoc({ status: 200, description: 'Base' })
  @ApiResponseDoc({ status: 404, description: 'None, says the base' })
  @Header('X-Page', '1')
  @Query(z.object({ page: z.coerce.number().max(5).optional() }))
  @Headers(z.object({ 'x-trace': z.string().min(3) }))
  @Get()
  list(_req: Request): unknown {
    return []
  }
}

@Controller('things')
class Things extends Base {
  @ApiResponseDoc({ status: 404, description: 'None' })
  @Query(z.object({ page: z.coerce.number().max(9).optional() }))
  override list({ query }: Request) {
    return query
  }
}

it('the operation ID of a class named "Controller" starts with this name', () => {
  @Controller('other')
  class Other {
    @Get() list() {}
  }
  Object.defineProperty(Other, 'name', { value: 'Controller' })
  const { document } = new App({ controllers: [Other], logger: false })
  expect(document.paths['/other']?.get?.operationId).toBe('Controller_list')
})

it('the operations of a class without a name have the tag Default', () => {
  @Controller('other')
  class Other {
    @Get() list() {}
  }
  Object.defineProperty(Other, 'name', { value: '' })
  const { document } = new App({ controllers: [Other], logger: false })
  expect(document.paths['/other']?.get?.tags).toEqual(['Default'])
})

describe('an overriding method', () => {
  it('is documented with its own and the inherited decorators', () => {
    const { document } = new App({ controllers: [Things], logger: false })
    const operation = document.paths['/things']?.get
    expect(operation?.responses['200']).toMatchObject({ description: 'Base' })
    expect(operation?.responses['404']).toMatchObject({ description: 'None' })
    const parameters = operation?.parameters?.map(({ name, schema }) => [name, schema.maximum])
    expect(parameters).toEqual([
      ['page', 9],
      ['x-trace', undefined],
    ])
  })

  it('replaces an inherited header whose name has another case', async () => {
    @Controller('sub')
    class Sub extends Base {
      @Header('x-page', '2')
      override list() {
        return []
      }
    }
    await using app = await TestApp.create({ controllers: [Sub], logger: false })
    const response = await app.request().get('/sub').set('x-trace', 'abc')
    expect(response.headers['x-page']).toBe('2')
    const { responses } = app.document.paths['/sub']?.get ?? { responses: {} }
    const ok = responses['200'] as { headers?: object }
    expect(Object.keys(ok.headers ?? {})).toEqual(['x-page'])
  })

  it('is documented with the headers of @Header only on its success responses', () => {
    const { document } = new App({ controllers: [Things], logger: false })
    const operation = document.paths['/things']?.get
    expect(operation?.responses['200']).toHaveProperty('headers.X-Page')
    expect(operation?.responses['404']).not.toHaveProperty('headers')
  })

  it('keeps the inherited schemas of other parts of the request', async () => {
    await using app = await TestApp.create({
      controllers: [Things],
      logger: false,
      contract: 'off',
    })
    const ask = (target: string, trace: string) => app.request().get(target).set('X-Trace', trace)
    expect((await ask('/things?page=9', 'abc')).status).toBe(200)
    expect((await ask('/things?page=10', 'abc')).status).toBe(400)
    expect((await ask('/things?page=9', 'ab')).status).toBe(400)
  })
})
