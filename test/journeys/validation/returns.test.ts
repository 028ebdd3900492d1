import {
  ApiOperation,
  ApiResponseDoc,
  type AuthGuard,
  Cache,
  Can,
  Controller,
  Get,
  Header,
  HttpCode,
  Post,
  RateLimit,
  Redirect,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const NoteId = z.object({ id: z.coerce.number() })
const NewNote = z.object({ text: z.string().min(1) })
const Note = z.object({ id: z.number(), text: z.string() })
type NoteId = z.output<typeof NoteId>
type NewNote = z.output<typeof NewNote>
const limit = { limit: 5, window: '1m' } as const

@Controller('notes')
class Notes {
  @Get(':id', {
    params: NoteId,
    returns: Note,
    errors: { 404: 'No such note' },
    summary: 'Read a note',
    responseHeaders: { 'x-kind': 'note' },
    cache: { ttl: '1m' },
    rateLimit: limit,
  })
  get({ params }: { params: NoteId }) {
    return { id: params.id, text: 'a', hidden: true }
  }

  @Post('', { body: NewNote, returns: Note, status: 201, can: 'notes:write', rateLimit: [limit] })
  async add({ body }: { body: NewNote }) {
    return { id: 1, text: body.text }
  }
}

@Controller('notes')
class Decorated {
  @Get(':id', { params: NoteId })
  @ApiResponseDoc({ status: 200, schema: Note })
  @ApiResponseDoc({ status: 404, description: 'No such note' })
  @ApiOperation({ summary: 'Read a note' })
  @Header('x-kind', 'note')
  @Cache({ ttl: '1m' })
  @RateLimit(limit)
  get({ params }: { params: NoteId }) {
    return { id: params.id, text: 'a', hidden: true }
  }

  @Post('', { body: NewNote })
  @ApiResponseDoc({ status: 201, schema: Note })
  @HttpCode(201)
  @Can('notes:write')
  @RateLimit(limit)
  async add({ body }: { body: NewNote }) {
    return { id: 1, text: body.text }
  }
}

const guard: AuthGuard<never> = {
  canActivate(req: Request) {
    if (req.headers['x-user'] === undefined) return false
    req.user = { id: 'ada', permissions: ['notes:write'] }
    return true
  },
}

const start = (controller: typeof Notes | typeof Decorated) =>
  TestApp.create({
    controllers: [controller],
    contract: 'throw',
    responses: 'strip',
    logger: false,
    auth: { guard, credentials: ['x-user'] },
  })

it('route options and decorators have the same effect in responses and in the document', async () => {
  await using app = await start(Notes)
  await using decorated = await start(Decorated)
  const answers = async (each: TestApp) => {
    const read = await each.request().get('/notes/7')
    const add = () => each.request().post('/notes').send({ text: 'b' })
    const added = await add().set('x-user', 'ada')
    const refused = await add()
    return [read, added, refused].map(({ status, body, headers }) => [
      status,
      body.data ?? body.error?.code,
      headers['x-kind'],
      headers['ratelimit-policy'] ?? headers['ratelimit'],
    ])
  }
  const own = await answers(app)
  expect(own.map(([status, data]) => [status, data]).slice(0, 2)).toEqual([
    [200, { id: 7, text: 'a' }],
    [201, { id: 1, text: 'b' }],
  ])
  expect(own[2]?.[0]).toBe(401)
  expect(own[0]?.[2]).toBe('note')
  expect(await answers(decorated)).toEqual(own)
  const text = (each: TestApp) =>
    JSON.stringify(each.document.paths).replaceAll('Decorated', 'Notes')
  expect(text(app)).toBe(text(decorated))
  expect(text(app)).toContain('No such note')
})

it('the status of `returns` is the default status of the application for its method', async () => {
  @Controller('a')
  class A {
    @Post('', { returns: Note })
    add() {
      return { id: 1, text: 'a' }
    }
  }
  await using app = await TestApp.create({
    controllers: [A],
    defaultStatus: { POST: 201 },
    contract: 'throw',
    logger: false,
  })
  expect((await app.request().post('/a')).status).toBe(201)
  expect(Object.keys(app.document.paths['/a']?.post?.responses ?? {})).toContain('201')
})

it('two routes of one method can have the same options with `returns`', async () => {
  const options = { returns: Note } as const
  @Controller('a')
  class A {
    @Get('one', options)
    @Get('two', options)
    get() {
      return { id: 1, text: 'a' }
    }
  }
  await using app = await TestApp.create({ controllers: [A], contract: 'throw', logger: false })
  for (const path of ['one', 'two'])
    expect((await app.request().get(`/a/${path}`)).status).toBe(200)
})

it.each<[options: object, cause: string]>([
  [{ status: 99 }, '`status: 99` in @Get() is not a success status.'],
  [{ returns: 'Note' }, 'The schema of `returns` in @Get() '],
  [{ retruns: Note }, '@Get() was given retruns: routes have no such option.'],
  [{ errors: 'none' }, "`errors` in @Get() must be an object, not 'none'."],
  [{ errors: { 200: 'Fine' } }, '`errors` in @Get() describes 200, which is not an error status.'],
  [
    { errors: { 404: 5 } },
    'The description of `errors` in @Get() for the status 404 is empty or not a string.',
  ],
  [{ summary: '' }, "`summary` in @Get() must be a non-empty string, not ''."],
  [{ responseHeaders: [] }, '`responseHeaders` in @Get() must be an object, not .'],
  [
    { responseHeaders: { 'a b': 'c' } },
    "`responseHeaders: 'a b', …` in @Get() is not a valid HTTP header.",
  ],
  [{ can: 5 }, '`can` in @Get() must be an ability or a list of abilities.'],
  [{ can: [] }, '`can` in @Get() specifies no ability, so it only requires a user.'],
])(
  'the boot error for an invalid option contains the method and the option: %j',
  async (options, cause) => {
    @Controller('wrong')
    class Wrong {
      @Get('', options as object)
      get(): unknown {
        return null
      }
    }
    const problems = await bootProblems({ controllers: [Wrong] })
    expect(problems.map((each) => [each.subject, each.cause])).toEqual([
      ['Wrong.get', expect.stringContaining(cause)],
    ])
  },
)

it('an invalid cache or limit is reported under its option name', async () => {
  @Controller('wrong')
  class Wrong {
    @Post('', { cache: { ttl: '1m' } })
    add(): unknown {
      return null
    }

    @Post('limited', { rateLimit: { limit: 0, window: '1m' } })
    limited(): unknown {
      return null
    }
  }
  const problems = await bootProblems({ controllers: [Wrong] })
  expect(problems.map(({ subject, cause }) => `${subject}: ${cause}`)).toEqual([
    'Wrong.limited `rateLimit` in @Post(): Its limit is 0.',
    expect.stringContaining('Wrong.add: It has `cache` in @Post() and handles POST'),
  ])
})

it('an invalid option does not hide the problems of other options and decorators', async () => {
  @Controller('wrong')
  class Wrong {
    @Get('', { summary: '', cache: { ttl: '1m', tags: ['a'] } })
    @Cache({ ttl: 'soon' as never })
    get(): unknown {
      return null
    }
  }
  const problems = await bootProblems({ controllers: [Wrong] })
  const text = problems.map(({ subject, cause }) => `${subject}: ${cause}`).join('\n')
  expect(text).toContain("`summary` in @Get() must be a non-empty string, not ''.")
  expect(text).toContain('It has 2 @Cache')
  expect(text).toContain('soon')
})

it('one of several invalid headers or errors of a route is reported under its option name', async () => {
  @Controller('wrong')
  class Wrong {
    @Get('a', { responseHeaders: { 'X A': 'a', 'X-B': 'b' } }) headers() {}
    @Get('b', { errors: { 404: '', 409: 'Taken' } }) errors() {}
  }
  const problems = await bootProblems({ controllers: [Wrong] })
  expect(problems.map(({ cause }) => cause)).toEqual([
    "`responseHeaders: 'X A', …` in @Get() is not a valid HTTP header.",
    'The description of `errors` in @Get() for the status 404 is empty or not a string.',
  ])
})

it('an option together with an equivalent decorator causes a boot error', async () => {
  @Controller('twice')
  class Twice {
    @Get('a', { status: 201, returns: Note })
    @HttpCode(202)
    @ApiResponseDoc({ status: 201, schema: Note })
    get(): z.output<typeof Note> {
      return { id: 1, text: 'a' }
    }

    @Get('c', { returns: Note, status: 204 })
    none(): z.output<typeof Note> {
      return { id: 1, text: 'a' }
    }

    @Get('d', { returns: Note, status: 205 })
    reset(): z.output<typeof Note> {
      return { id: 1, text: 'a' }
    }

    @Get('b', { returns: Note })
    @Redirect('/a')
    go(): z.output<typeof Note> {
      return { id: 1, text: 'a' }
    }
  }
  const problems = await bootProblems({ controllers: [Twice] })
  expect(problems.map((each) => each.cause)).toEqual([
    'It has 2 @HttpCode decorators, but only one of them would take effect.',
    '`returns` and @ApiResponseDoc both describe the status 201, but only one of them can.',
    '`returns` describes data, but a response with the status 204 has no body.',
    '`returns` describes data, but a response with the status 205 has no body.',
    'It has `returns` in @Get() and @Redirect, but only one of them can describe the success response.',
  ])
})
