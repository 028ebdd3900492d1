import {
  Auth,
  BaseController,
  Body,
  Controller,
  CurrentUser,
  Get,
  Headers,
  Inject,
  InjectionToken,
  Params,
  Post,
  Query,
  Req,
  Res,
  type Response,
  type User,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const Create = z.object({ name: z.string() })
const ById = z.object({ id: z.coerce.number() })
const Page = z.object({ page: z.coerce.number().default(1) })
const Prefix = new InjectionToken<string>('Prefix')

@Controller('users')
class UsersController extends BaseController {
  constructor(@Inject(Prefix) readonly prefix: string) {
    super()
  }

  @Get(':id')
  getById(@Params(ById) params: { id: number }, @Query(Page) query: { page: number }) {
    return { id: params.id, page: query.page, prefix: this.prefix }
  }

  @Post()
  create(@Res() res: Response, @Body(Create) body: { name: string }, @Req() req: Req) {
    return this.ok(res, 'User created', { ...body, method: req.method }, 201)
  }

  @Post('raw')
  raw(@Body() body: unknown, @Headers() headers: Record<string, string>) {
    return { body, type: headers['content-type'] }
  }

  @Auth()
  @Get('me/now')
  me(@CurrentUser() user: User) {
    return user
  }

  @Get('sparse/:id')
  sparse(first: unknown, @Params() params: { id: string }) {
    return { first: first === undefined, params }
  }
}

let app: TestApp
beforeAll(async () => {
  app = await TestApp.create({
    contract: 'throw',
    controllers: [UsersController],
    providers: [{ token: Prefix, useValue: 'u-' }],
    auth: {
      guard: {
        canActivate(req) {
          req.user = { id: 1 }
          return true
        },
      },
    },
  })
})
afterAll(() => app.close())

describe('the parameters of a handler', () => {
  it('receive validated and coerced values', async () => {
    const { body } = await app.request().get('/users/7?page=2')
    expect(body.data).toEqual({ id: 7, page: 2, prefix: 'u-' })
  })

  it('cause one error response with the errors of all request parts', async () => {
    const { body } = await app.request().get('/users/x?page=y')
    expect(body.errors.map((error: { in: string }) => error.in)).toEqual(['params', 'query'])
  })

  it('receive the request, the response and the body in any order', async () => {
    const { status, body } = await app.request().post('/users').send({ name: 'Ada' })
    expect([status, body.data]).toEqual([201, { name: 'Ada', method: 'POST' }])
    expect((await app.request().post('/users').send({})).status).toBe(400)
  })

  it('receive the unchanged value of a request part that has no schema', async () => {
    const { body } = await app.request().post('/users/raw').send({ any: 'thing' })
    expect(body.data).toEqual({ body: { any: 'thing' }, type: 'application/json' })
  })

  it('receive the user that the guard has set', async () => {
    expect((await app.request().get('/users/me/now')).body.data).toEqual({ id: 1 })
  })

  it('are undefined if they have no decorator', async () => {
    const { body } = await app.request().get('/users/sparse/9')
    expect(body.data).toEqual({ first: true, params: { id: '9' } })
  })

  it('cause a boot error if they describe the same request part as a method decorator', async () => {
    @Controller()
    class Twice {
      @(Body(Create) as MethodDecorator)
      @Post()
      create(@Body(Create) body: { name: string }) {
        return body
      }
    }
    // The types refuse it, so the test needs a cast; plain JavaScript has no types.
    const [problem] = await bootProblems({ controllers: [Twice] })
    expect(problem).toMatchObject({ code: 'E_INPUT_TWICE', subject: 'Twice.create' })
  })
})

it('boot reports class, method and part if a parameter decorator has a class instead of a schema', async () => {
  class CreateUser {
    name!: string
  }
  @Controller('users')
  class Users {
    @Post()
    create(@Body(CreateUser as never) user: CreateUser) {
      return user
    }
  }
  const [problem, ...others] = await bootProblems({ controllers: [Users] })
  expect(others).toEqual([])
  expect(problem).toMatchObject({ code: 'E_SCHEMA_INVALID', subject: 'Users.create' })
  expect(problem?.cause).toContain('@Body is the class CreateUser')
  expect(problem?.remedy).toContain('z.infer<typeof CreateUser>')
})

describe('two decorators on one parameter', () => {
  it('cause a boot error', async () => {
    @Controller()
    class Items {
      @Post() create(@Body(Create) @Query(Page) _value: unknown) {}
    }
    const problems = await bootProblems({ controllers: [Items] })
    expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
      ['E_DECORATOR_CONFLICT', 'Items.create'],
    ])
    expect(problems[0]?.cause).toContain('parameter 0')
  })
})
