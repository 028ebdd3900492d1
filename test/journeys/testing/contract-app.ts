import {
  ApiHidden,
  ApiResponseDoc,
  Auth,
  BaseController,
  Body,
  Controller,
  ForbiddenError,
  Get,
  Header,
  HttpCode,
  NotFoundError,
  Post,
  Redirect,
  type Req,
  type Request,
  type Response,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { afterEach, expect, vi } from 'vitest'
import { z } from 'zod'

const User = z.object({
  id: z.number().int(),
  name: z.string(),
  address: z.object({ city: z.string() }).optional(),
})
const Cat = z.object({ kind: z.literal('cat'), lives: z.number() })
const Dog = z.object({ kind: z.literal('dog'), tricks: z.array(z.string()) })

export const documented = (status: number) => ApiResponseDoc({ status, description: 'As said' })
const describedUser = ApiResponseDoc({ status: 200, description: 'The user', schema: User })

/** The data and the status that the handlers send. Each test sets its own. */
export const reply: { data: unknown; status: number } = { data: undefined, status: 200 }

@Controller('users')
class UsersController extends BaseController {
  @Get('one')
  @describedUser
  one(_: Req, res: Response) {
    return this.ok(res, 'User', reply.data, reply.status)
  }

  @Get('list')
  @ApiResponseDoc({ status: 200, description: 'Users', schema: z.array(User) })
  list() {
    return reply.data
  }

  @Get('pet')
  @ApiResponseDoc({ status: 200, description: 'A pet', schema: z.union([Cat, Dog]).nullable() })
  pet() {
    return reply.data
  }

  @Get('merged')
  @ApiResponseDoc({
    status: 200,
    description: 'Both',
    schema: z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() })),
  })
  merged() {
    return reply.data
  }

  @Get('free')
  @ApiResponseDoc({
    status: 200,
    description: 'Anything',
    schema: z.looseObject({ a: z.number() }),
  })
  free() {
    return reply.data
  }

  @Get('missing')
  @documented(200)
  missing() {
    throw new NotFoundError('No such user')
  }

  @Get('forbidden')
  @documented(200)
  @documented(403)
  forbidden() {
    throw new ForbiddenError()
  }

  @Get('text')
  @documented(200)
  text(_: Req, res: Response) {
    res.send('not JSON')
  }

  @Get('page')
  @ApiResponseDoc({ status: 200, description: 'A page', contentType: 'text/html' })
  page(_: Req, res: Response) {
    res.type('html').send('<p>')
  }

  @Get('notes')
  @ApiResponseDoc({ status: 200, description: 'Notes', contentType: 'text/*' })
  notes(_: Req, res: Response) {
    res.type(String(reply.data)).send('a,b')
  }

  @Get('events')
  @ApiResponseDoc({ status: 200, description: 'Events', contentType: 'text/event-stream' })
  events(_: Req, res: Response) {
    res.type('text/event-stream').write('data: 1\n\n')
    return res
  }

  @Get('broken')
  @documented(200)
  broken(_: Req, res: Response) {
    res.type('json').send('{"statusCode":')
  }

  @Get('moved')
  @Redirect('/users/one', 302)
  moved(_: Req, res: Response) {
    // This response does not match the decorator.
    if (reply.data === 'no location') return void res.status(302).type('text').send('moved')
    return undefined
  }

  @Post()
  @HttpCode(201)
  @Body(z.object({ name: z.string() }))
  create(_: Request, res: Response) {
    if (reply.data === 'empty') return void res.status(204).end()
    return this.ok(res, 'Created', undefined, 201)
  }

  @Get('failing')
  @documented(200)
  failing() {
    throw new Error('a bug')
  }
}

/** Declares no responses, so only the envelope is checked. */
@Controller('open')
class OpenController extends BaseController {
  @Get()
  any(req: Req, res: Response) {
    if (reply.data instanceof Error) throw reply.data
    if (req.query['raw'] === 'yes') return void res.status(reply.status).json(reply.data)
    return this.ok(res, 'Anything', reply.data, reply.status)
  }

  @Auth()
  @Get('guarded')
  guarded() {
    return 1
  }

  @ApiHidden()
  @Get('hidden')
  hidden(_: Req, res: Response) {
    res.status(418).send('hidden')
  }

  @Get('elsewhere')
  elsewhere(_: Req, res: Response) {
    res.redirect('/open')
  }

  @Header('X-Version', '2')
  @Get('versioned')
  versioned() {
    return 1
  }
}

export let app: TestApp

/** Resets this state after each test of the file that calls it, and closes the application. */
export function useContractApp(): void {
  afterEach(async () => {
    Object.assign(reply, { data: undefined, status: 200 })
    vi.restoreAllMocks()
    await app.close()
  })
}

export const controllers = [UsersController, OpenController]
/** Makes an application the one that the tests use, and that is closed after the test. */
export function use(created: TestApp): void {
  app = created
}

export async function start(options: TestOptions = {}) {
  use(await TestApp.create({ controllers, contract: 'throw', logger: false, ...options }))
}

/** The error message of a request in each way to send one. All messages must be equal. */
export async function messageOf(path: string): Promise<string> {
  const messages = await Promise.all([
    Promise.resolve(app.request().get(path)).then(() => '', String),
    app.fetch(path, { redirect: 'manual' }).then(() => '', String),
    app
      .as({ id: 1 })
      .fetch(path, { redirect: 'manual' })
      .then(() => '', String),
    new Promise<string>((resolve) => {
      app
        .request()
        .get(path)
        .end((error) => resolve(error === null ? '' : String(error)))
    }),
  ])
  expect(new Set(messages).size).toBe(1)
  return messages[0] as string
}
