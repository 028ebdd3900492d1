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
import { ContractError, TestApp, type TestOptions } from 'blazon/testing'
import compression from 'compression'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

const User = z.object({
  id: z.number().int(),
  name: z.string(),
  address: z.object({ city: z.string() }).optional(),
})
const Cat = z.object({ kind: z.literal('cat'), lives: z.number() })
const Dog = z.object({ kind: z.literal('dog'), tricks: z.array(z.string()) })

const documented = (status: number) => ApiResponseDoc({ status, description: 'As said' })
const describedUser = ApiResponseDoc({ status: 200, description: 'The user', schema: User })

/** What the handlers answer with; each test plants its own lie. */
let answer: unknown
let status = 200

@Controller('users')
class UsersController extends BaseController {
  @Get('one')
  @describedUser
  one(_: Req, res: Response) {
    return this.ok(res, 'User', answer, status)
  }

  @Get('list')
  @ApiResponseDoc({ status: 200, description: 'Users', schema: z.array(User) })
  list() {
    return answer
  }

  @Get('pet')
  @ApiResponseDoc({ status: 200, description: 'A pet', schema: z.union([Cat, Dog]).nullable() })
  pet() {
    return answer
  }

  @Get('merged')
  @ApiResponseDoc({
    status: 200,
    description: 'Both',
    schema: z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() })),
  })
  merged() {
    return answer
  }

  @Get('free')
  @ApiResponseDoc({
    status: 200,
    description: 'Anything',
    schema: z.looseObject({ a: z.number() }),
  })
  free() {
    return answer
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
    // Not what the decorator says.
    if (answer === 'no location') return void res.status(302).type('text').send('moved')
    return undefined
  }

  @Post()
  @HttpCode(201)
  @Body(z.object({ name: z.string() }))
  create(_: Request, res: Response) {
    if (answer === 'empty') return void res.status(204).end()
    return this.ok(res, 'Created', undefined, 201)
  }

  @Get('failing')
  @documented(200)
  failing() {
    throw new Error('a bug')
  }
}

/** Declares nothing, and is held to the envelope alone. */
@Controller('open')
class OpenController extends BaseController {
  @Get()
  any(req: Req, res: Response) {
    if (answer instanceof Error) throw answer
    if (req.query['raw'] === 'yes') return void res.status(status).json(answer)
    return this.ok(res, 'Anything', answer, status)
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

let app: TestApp
afterEach(async () => {
  answer = undefined
  status = 200
  vi.restoreAllMocks()
  await app.close()
})

const controllers = [UsersController, OpenController]
async function start(options: TestOptions = {}) {
  app = await TestApp.create({ controllers, contract: 'throw', logger: false, ...options })
}

/** What a request through every door says; each must say the same. */
async function messageOf(path: string): Promise<string> {
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

describe('a truthful handler', () => {
  it.each([
    ['/users/one', { id: 1, name: 'Ada' }],
    ['/users/one', { id: 1, name: 'Ada', address: { city: 'Wien' } }],
    ['/users/list', []],
    ['/users/pet', { kind: 'dog', tricks: ['sit'] }],
    ['/users/pet', null],
    ['/users/merged', { a: 1, b: 2 }],
    ['/users/free', { a: 1, whatever: [] }],
    ['/users/forbidden', null],
    ['/users/page', null],
    ['/users/moved', null],
    ['/users/failing', null],
    ['/open', { anything: 'goes' }],
    ['/open', undefined],
    ['/open', new NotFoundError('as open as its successes')],
    ['/open/guarded', null],
    ['/open/versioned', null],
    ['/open/elsewhere', null],
    ['/users/nobody-here', null],
    ['/api-docs.json', null],
  ])('passes at %s', async (path, data) => {
    await start()
    answer = data
    expect(await messageOf(path)).toBe('')
    expect(app.contractReport()).toEqual([])
  })

  it('may answer HEAD, OPTIONS, 204 and 405 as ever', async () => {
    await start()
    answer = { id: 1, name: 'Ada' }
    await app.request().head('/users/one').expect(200)
    await app.request().options('/users/one').expect(200)
    await app.request().put('/users/one').expect(405)
    await app.request().post('/users').send({ name: 'Ada' }).expect(201)
    await app.request().post('/users').send({}).expect(400)
  })

  it('may answer compressed, as a problem, or not at all because nothing has changed', async () => {
    await start({ middlewares: [compression({ threshold: 0 })], etag: true })
    answer = { id: 1, name: 'Ada' }
    const { headers } = await app.request().get('/users/one').expect('content-encoding', 'gzip')
    await app
      .request()
      .get('/users/one')
      .set('If-None-Match', headers['etag'] as string)
      .expect(304)
    await app
      .request()
      .get('/users/forbidden')
      .set('Accept', 'application/problem+json')
      .expect(403)
  })

  it('may stream: nobody waits for the end', async () => {
    await start()
    const response = await app.fetch('/users/events')
    await response.body?.cancel()
  })
})

describe('a planted lie', () => {
  it('a field that is not documented', async () => {
    await start()
    answer = { id: 1, name: 'Ada', passwordHash: 'x' }
    expect(await messageOf('/users/one')).toBe(
      [
        'ContractError: GET /users/one responded 200, but its document differs (Users_one, UsersController.one):',
        '  body data.passwordHash is not documented; got "x"',
        '  → Correct the handler, or its description: @ApiResponseDoc({ status: 200, … }).',
      ].join('\n'),
    )
  })

  it.each([
    ['/users/one', { id: '1', name: 'Ada' }, 'body data.id: expected integer, got "1"'],
    ['/users/one', { id: 1 }, 'body data.name: expected to be there, got nothing'],
    [
      '/users/one',
      { id: 1, name: 'Ada', address: { city: 1 } },
      'data.address.city: expected string, got 1',
    ],
    [
      '/users/one',
      { id: 1, name: 'Ada', address: { city: '', zip: 1 } },
      'data.address.zip is not documented',
    ],
    ['/users/one', undefined, 'body data: expected to be there'],
    ['/users/list', [{ id: 1, name: 'a' }, { id: 2 }], 'body data[1].name: expected to be there'],
    ['/users/pet', { kind: 'dog', tricks: [1] }, 'body data.tricks[0]: expected string, got 1'],
    ['/users/pet', { kind: 'cat', lives: 9, tricks: [] }, 'body data.tricks is not documented'],
    ['/users/pet', 7, 'body data: expected one of its alternatives, got 7'],
    ['/users/merged', { a: 1, b: 2, c: 3 }, 'body data.c is not documented; got 3'],
    ['/users/free', { a: 'x' }, 'body data.a: expected number, got "x"'],
    ['/users/text', null, 'content-type: expected application/json, got text/html'],
    ['/users/moved', 'no location', 'header Location: expected to be there'],
    ['/users/missing', null, 'status: expected one of 200, 400, 500, 503, got 404'],
    ['/users/missing', null, '@ApiResponseDoc({ status: 404, description'],
  ])('at %s: %j', async (path, data, message) => {
    await start()
    answer = data
    expect(await messageOf(path)).toContain(message)
  })

  it('a body that is no JSON', async () => {
    await start()
    const message = 'body: expected JSON, got "{\\"statusCode\\":"'
    await expect(app.fetch('/users/broken')).rejects.toThrow(message)
  })

  it('a status that is not documented', async () => {
    await start()
    answer = { id: 1, name: 'Ada' }
    status = 202
    expect(await messageOf('/users/one')).toContain('got 202')
  })

  it('another success than @HttpCode says', async () => {
    await start()
    answer = 'empty'
    const sent = app.request().post('/users').send({ name: 'Ada' })
    await expect(Promise.resolve(sent)).rejects.toThrow(
      'expected one of 201, 400, 413, 415, 500, 503, got 204',
    )
  })

  it('an operation that declares nothing, and breaks the envelope', async () => {
    await start()
    answer = [1]
    expect(await messageOf('/open?raw=yes')).toContain(
      'body: expected the success envelope, got [1]',
    )
    status = 404
    answer = { error: 'home-made' }
    expect(await messageOf('/open?raw=yes')).toContain(
      'envelope: expected the error envelope, got {"error":"home-made"}',
    )
    answer = { statusCode: 'error', status: 404, message: 1, code: 'X' }
    expect(await messageOf('/open?raw=yes')).toContain('envelope message: expected string, got 1')
  })

  it('an envelope of another status than the answer', async () => {
    await start()
    answer = { statusCode: 'success', status: 201, message: 'Created', data: {} }
    expect(await messageOf('/open?raw=yes')).toContain(
      'body status: expected 200, the status of the response, got 201',
    )
    answer = { statusCode: 'error', status: 404, message: 'No', code: 'NO' }
    for (const other of [400, 409]) {
      status = other
      expect(await messageOf('/open?raw=yes')).toMatch(
        new RegExp(`status: expected ${other}, the status of the response, got 404`),
      )
    }
  })

  it('an error of a middleware that has no envelope', async () => {
    await start({ middlewares: [(_req, res) => void res.status(429).send('slow down')] })
    const message = await messageOf('/users/one')
    expect(message).toContain('status: expected one of 200, 400, 500, 503, got 429')
    expect(message).toContain('envelope: expected JSON, got text/html')
  })

  it('in HEAD', async () => {
    await start()
    answer = null
    await expect(app.fetch('/users/text', { method: 'HEAD' })).rejects.toThrow('text/html')
  })

  it('in a compressed body', async () => {
    await start({ middlewares: [compression({ threshold: 0 })] })
    answer = { id: 'x', name: 'Ada' }
    expect(await messageOf('/users/one')).toContain('expected integer, got "x"')
  })
})

describe('throw', () => {
  it('says what the test itself expects first', async () => {
    await start()
    const sent = app.request().get('/users/missing').expect(200)
    await expect(Promise.resolve(sent)).rejects.toThrow('expected 200 "OK", got 404')
  })

  it('reaches callbacks of expect, and knows the violations', async () => {
    await start()
    answer = { id: 1, name: 'Ada', extra: true }
    const error = await new Promise<Error>((resolve) => {
      app
        .request()
        .get('/users/one')
        .expect(200, (failure) => resolve(failure as Error))
    })
    expect(error).toBeInstanceOf(ContractError)
    expect((error as ContractError).violations).toEqual([
      expect.objectContaining({ kind: 'body', path: 'data.extra', expected: null, got: 'true' }),
    ])
  })

  it('sees an answer that a redirect leads to, and the redirect', async () => {
    await start()
    answer = { id: 1, name: 'Ada', extra: true }
    await expect(app.fetch('/users/moved')).rejects.toThrow('GET /users/one')
    const followed = app.request().get('/users/moved').redirects(1)
    await expect(Promise.resolve(followed)).rejects.toThrow('GET /users/one')
  })

  it('collects what it has thrown, once', async () => {
    await start()
    answer = { id: 1, name: 'Ada', extra: true }
    await messageOf('/users/one')
    expect(app.contractReport()).toHaveLength(1)
  })
})

describe('warn', () => {
  const listen = () => vi.spyOn(process.stderr, 'write').mockReturnValue(true)

  it('is the default: requests go through, and stderr hears once of an operation and kind', async () => {
    app = await TestApp.create({ controllers })
    const write = listen()
    answer = { id: 1, name: 'Ada', extra: true }
    await app.request().get('/users/one').expect(200)
    await app.request().get('/users/one').expect(200)
    answer = { id: 'other', name: 'Ada' }
    await app.request().get('/users/one').expect(200)
    expect(write).toHaveBeenCalledTimes(1)
    expect(write.mock.calls[0]?.[0]).toContain('data.extra is not documented')
    await app.request().get('/users/missing').expect(404)
    expect(write).toHaveBeenCalledTimes(2)
    expect(app.contractReport().map(({ kind, path }) => [kind, path])).toEqual([
      ['body', 'data.extra'],
      ['body', 'data.id'],
      ['status', ''],
    ])
    await app.close()
    const again = await TestApp.create({ controllers })
    await again.request().get('/users/one').expect(200)
    expect(write).toHaveBeenCalledTimes(2)
    await again.close()
  })

  it('is said of each application, though their operations have the same names', async () => {
    const create = () => {
      @Controller('twins')
      class TwinsController {
        @Get()
        @documented(200)
        get(_: Req, res: Response) {
          res.send('not JSON')
        }
      }
      return TestApp.create({ controllers: [TwinsController] })
    }
    app = await create()
    const other = await create()
    const write = listen()
    await app.request().get('/twins').expect(200)
    await other.request().get('/twins').expect(200)
    expect(write).toHaveBeenCalledTimes(2)
    await other.close()
  })

  it('can be off', async () => {
    await start({ contract: 'off' })
    const write = listen()
    answer = { lie: true }
    await app.request().get('/users/one').expect(200)
    expect(write).not.toHaveBeenCalled()
    expect(app.contractReport()).toEqual([])
  })

  it('is no other word', async () => {
    await start()
    const options = { contract: 'loud', coverage: 80 } as unknown as TestOptions
    await expect(TestApp.create(options)).rejects.toThrow(/"loud"[\s\S]*80/)
  })
})

describe('a document that cannot be written', () => {
  const swagger = {
    enabled: false,
    include: () => {
      throw new Error('undecided')
    },
  }

  it('fails the request that asks for it first, through every door', async () => {
    await start({ swagger })
    expect(await messageOf('/open')).toMatch(
      /The response to GET \/open cannot be compared with the document: [\s\S]*undecided/,
    )
  })

  it('is said once where nothing is thrown', async () => {
    await start({ swagger, contract: 'warn' })
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await app.request().get('/open').expect(200)
    await app.fetch('/open')
    expect(write).toHaveBeenCalledTimes(1)
    expect(write.mock.calls[0]?.[0]).toContain('undecided')
  })
})

describe('documents', () => {
  it('checks what is in any of several, and nothing that is in none', async () => {
    const isOpen = (route: { path: string }) => route.path.startsWith('/open')
    await start({
      swagger: [
        { path: '/a', include: (route) => isOpen(route) },
        { path: '/b', include: (route) => route.path === '/users/one' },
      ],
    })
    answer = { lie: true }
    expect(await messageOf('/users/one')).toContain('data.lie')
    expect(await messageOf('/users/list')).toBe('')
    expect(await messageOf('/open/hidden')).toBe('')
  })

  it('checks where no document is served', async () => {
    await start({ swagger: false })
    answer = { lie: true }
    expect(await messageOf('/users/one')).toContain('data.lie')
  })
})
