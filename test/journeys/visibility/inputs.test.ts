import {
  ApiBody,
  ApiResponseDoc,
  Auth,
  Body,
  Controller,
  file,
  Get,
  Post,
  Query,
  type Request,
  type Response,
  Upload,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { guard, PAYROLL } from './staff-app.js'

const pay = { visibleTo: PAYROLL }
const Taken = z.object({ taken: z.string() })
let handled = 0

function take(value: unknown) {
  handled++
  return { taken: JSON.stringify(value) }
}

@Auth({ optional: true })
@Controller()
class Inputs {
  @ApiResponseDoc({ status: 200, schema: Taken })
  @Query(z.object({ tags: z.array(z.string().meta(pay)).optional() }))
  @Get('lists')
  lists(req: Request) {
    return take(req.query)
  }

  @ApiResponseDoc({ status: 200, schema: Taken })
  @Query({
    type: 'object',
    properties: {
      ids: { type: 'array', items: { type: 'integer', ...pay } },
      page: { type: 'integer' },
    },
  } as const)
  @Get('coerced')
  coerced(req: Request) {
    return take(req.query)
  }

  @ApiResponseDoc({ status: 200, schema: Taken })
  @Query('salary', z.string().meta(pay).optional())
  @Query('q', z.string().optional())
  @Get('keys')
  keys(req: Request) {
    return take(req.query)
  }

  @ApiResponseDoc({ status: 200, schema: Taken })
  @Body({
    type: 'object',
    properties: { salary: { type: 'integer', ...pay }, name: { type: 'string' } },
  } as const)
  @Post('json-schema')
  jsonSchema(req: Request) {
    return take(req.body)
  }

  @ApiResponseDoc({ status: 200, schema: Taken })
  @ApiBody({ schema: z.object({ salary: z.int().meta(pay).optional() }) })
  @Post('documented')
  documented(req: Request) {
    return take(req.body)
  }

  @ApiResponseDoc({ status: 200, schema: Taken })
  @Upload({
    title: z.string(),
    salary: z.string().meta(pay).optional(),
    image: file({ optional: true }),
  })
  @Post('upload')
  upload(req: Request) {
    return take(req.body)
  }

  @ApiResponseDoc({
    status: 200,
    schema: z.object({ id: z.int(), salary: z.int().meta(pay) }),
    raw: true,
  })
  @Get('jsonp')
  jsonp(_req: Request, res: Response) {
    res.jsonp({ id: 1, salary: 2 })
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({ controllers: [Inputs], auth: { guard }, contract: 'off' })
})
afterAll(() => app.close())

function as(token: string | null) {
  return (token === null ? app : app.with({ authorization: `Bearer ${token}` })).request()
}

it.each([
  ['a list that is sent once', '/lists?tags=a', 'tags'],
  ['a list', '/lists?tags=a&tags=b', 'tags.0'],
  ['a list of JSON Schema that is sent once', '/coerced?ids=1', 'ids'],
  ['a single key of @Query', '/keys?salary=1&q=a', 'salary'],
])('a hidden field in a query results in a 403 response: %s', async (_, path, place) => {
  handled = 0
  const { body } = await as(null).get(path).expect(403)
  expect(body.errors[0]).toMatchObject({ in: 'query', path: place })
  expect(handled).toBe(0)
  await as(PAYROLL).get(path).expect(200)
})

it('visible fields in a query are accepted', async () => {
  await as(null).get('/lists').expect(200)
  await as(null).get('/coerced?page=1').expect(200)
  await as(null).get('/keys?q=a').expect(200)
})

it.each(['/json-schema', '/documented'])(
  'a hidden body field results in a 403 response: %s',
  async (path) => {
    handled = 0
    await as(null).post(path).send({ salary: 1 }).expect(403)
    await as('none').post(path).send({ salary: 'x' }).expect(403)
    expect(handled).toBe(0)
    await as(null).post(path).send({ name: 'a' }).expect(200)
    await as(PAYROLL).post(path).send({ salary: 1 }).expect(200)
  },
)

it('a hidden field in a form with files results in a 403 response', async () => {
  handled = 0
  const { body } = await as(null)
    .post('/upload')
    .field('title', 'a')
    .field('salary', '1')
    .expect(403)
  expect(body.errors).toMatchObject([{ path: 'salary' }])
  expect(handled).toBe(0)
  await as(null).post('/upload').field('title', 'a').expect(200)
  await as(PAYROLL).post('/upload').field('title', 'a').field('salary', '1').expect(200)
})

it('a hidden field is removed from res.jsonp', async () => {
  const response = await as(null).get('/jsonp?callback=f').expect(200)
  expect(response.text).toContain('{"id":1}')
  expect((await as(PAYROLL).get('/jsonp?callback=f')).text).toContain('"salary":2')
})
