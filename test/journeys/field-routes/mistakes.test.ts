import {
  ApiResponse,
  App,
  Auth,
  type Class,
  Controller,
  Get,
  get,
  HttpCode,
  inject,
  post,
  put,
  Versioned,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

const Note = z.object({ id: z.number() })

class Config {
  readonly path: string = 'real'
  readonly isOpen: boolean = false
  readonly ability: string = 'notes:read'
}

/** The problems of a class, as code, subject and cause. */
async function problemsOf(
  controller: Class,
): Promise<readonly (readonly [string, string, string])[]> {
  const problems = await bootProblems({ controllers: [controller], providers: [Config] })
  expect(problems.every(({ remedy }) => remedy.length > 20)).toBe(true)
  return problems.map(({ code, subject, cause }) => [code, subject, cause])
}

describe('a route that is defined but not served', () => {
  it('causes a boot error if it is a private field', async () => {
    @Controller('notes')
    class Notes {
      #list = get('/', () => [])
      read = get('/1', () => this.#list)
    }
    expect(await problemsOf(Notes)).toEqual([
      [
        'E_FIELD_ROUTE_UNSERVED',
        'Notes',
        "get('/') creates a route, but the route is not the value of a public instance field.",
      ],
    ])
  })

  it('causes a boot error if its field contains a function that wraps it', async () => {
    const logged =
      <A extends unknown[], R>(handler: (...args: A) => R) =>
      (...args: A): R =>
        handler(...args)
    @Controller('notes')
    class Notes {
      list = logged(get('/', () => []))
    }
    const [problem] = await problemsOf(Notes)
    expect(problem?.slice(0, 2)).toEqual(['E_FIELD_ROUTE_UNSERVED', 'Notes'])
  })

  it('causes a boot error if its function has another name, as in minified code', async () => {
    const a = get
    @Controller('notes')
    class Notes {
      @Get() all() {}
      list = a('/list', () => [])
    }
    // Without a start, only the decorated method is known.
    const table = new App({ controllers: [Notes] }).getRouteTable()
    expect(table.map(({ path }) => path)).toEqual(['/notes'])
    expect(await problemsOf(Notes)).toEqual([
      [
        'E_FIELD_ROUTE_UNSERVED',
        'Notes.list',
        'It is a field route, but the source of its class does not show this: a minifier renamed the function that creates it, or another function created it.',
      ],
    ])
  })

  it('causes a boot error if its field exists only for some injected values', async () => {
    @Controller('notes')
    class Notes {
      private readonly config = inject(Config)
      readonly list?: unknown
      one = get('/1', () => 1)
      constructor() {
        if (this.config.isOpen) this.list = get('/', () => [])
      }
    }
    const [[code, subject, cause] = []] = await problemsOf(Notes)
    expect([code, subject]).toEqual(['E_FIELD_ROUTE_UNSERVED', 'Notes.list'])
    expect(cause).toContain('only if its class is created without dependencies')
  })

  it('causes a boot error if its path or ability depends on an injected value', async () => {
    @Controller('notes')
    class Notes {
      private readonly config = inject(Config)
      list = get(`/${this.config.path}`, () => [])
      read = get('/:id', { can: `${this.config.ability}` }, () => 1)
    }
    const causes = (await problemsOf(Notes)).map(([, , cause]) => cause)
    expect(causes).toEqual([
      "The route was read as get('/injected'), but constructed as get('/real'): it depends on an injected value.",
      `The route was read as get('/:id'), can: "injected", but constructed as get('/:id'), can: "notes:read": it depends on an injected value.`,
    ])
  })

  it('causes a boot error if its class is only a provider', async () => {
    class Lists {
      list = get('/', () => [])
    }
    @Controller('notes')
    class Notes {
      @Get() all() {}
    }
    const problems = await bootProblems({ controllers: [Notes], providers: [Lists] })
    expect(problems.map(({ code, subject, cause }) => [code, subject, cause])).toEqual([
      [
        'E_FIELD_ROUTE_UNSERVED',
        'Lists.list',
        'It is a route, but its class is not listed as a controller.',
      ],
    ])
  })

  it('causes a boot error if it is a static field', async () => {
    @Controller('notes')
    class Notes {
      static list = get('/', () => [])
      read = get('/1', () => 1)
    }
    const [[code, subject] = []] = await problemsOf(Notes)
    expect([code, subject]).toEqual(['E_FIELD_ROUTE_UNSERVED', 'Notes.list'])
  })
})

it('a constructor that needs real dependencies causes a boot error with the message of its error', async () => {
  @Controller('notes')
  class Notes {
    @Auth() list = get('/', () => [])
    constructor(config = inject(Config)) {
      if (config.path !== 'real') throw new RangeError('the path is unknown')
    }
  }
  expect(await problemsOf(Notes)).toEqual([
    [
      'E_FIELD_ROUTES_UNREAD',
      'Notes',
      'It is constructed once without its dependencies, to read the routes of its fields, but its constructor threw RangeError: the path is unknown.',
    ],
  ])
})

it.each([
  ['/', {}, 'The handler of get() must be a function, not [object Object].'],
  [7, () => 1, 'The path of get() must be a string, not 7.'],
])(
  'a call of get() with the invalid arguments %s and %s causes a boot error for its class',
  async (path, handler, cause) => {
    @Controller('notes')
    class Notes {
      list = get(path as never, handler as never)
    }
    const read = 'It is constructed once without its dependencies, to read the routes of its fields'
    expect(await problemsOf(Notes)).toEqual([
      ['E_FIELD_ROUTES_UNREAD', 'Notes', `${read}, but its constructor threw TypeError: ${cause}`],
    ])
  },
)

it('each invalid option of a field route causes a boot error with the name of the field', async () => {
  @Controller('fields')
  class Notes {
    a = post('/a', { status: 99 }, () => 1)
    b = post('/b', { returns: 'Note' } as object, () => 1)
    c = post('/c', { retruns: Note } as object, () => 1)
    d = post('/d', undefined as unknown as object, () => 1)
    e = post('/:x', { body: {}, errors: { 200: 'Fine' } }, () => 1)
  }
  const problems = await problemsOf(Notes)
  expect(problems.map(([, subject]) => subject)).toEqual([
    'Notes.a',
    'Notes.b',
    'Notes.c',
    'Notes.d',
    'Notes.e',
  ])
  expect(problems.map(([, , cause]) => cause)).toEqual([
    '`status: 99` in post() is not a success status.',
    expect.stringContaining('The schema of `returns` in post() '),
    'post() was given retruns: routes have no such option.',
    'post() was given undefined after its path, which often results from a circular import.',
    '`errors` in post() describes 200, which is not an error status.',
  ])
})

it('fields and decorated methods with the same HTTP method and path cause a boot error', async () => {
  @Controller('notes')
  class Notes {
    @Get('one') one() {}
    two = get('/one', () => 1)
    three = get('three', () => 1)
    four = get('/three/', () => 1)
  }
  expect(await problemsOf(Notes)).toEqual([
    ['E_ROUTE_DUPLICATE', 'Notes.two', 'GET /notes/one is already handled by Notes.one.'],
    ['E_ROUTE_DUPLICATE', 'Notes.four', 'GET /notes/three is already handled by Notes.three.'],
  ])
})

it('a field route with a generator function requires a stream decorator', async () => {
  @Controller('notes')
  class Notes {
    list = get('/', function* () {
      yield 1
    })
  }
  const [[code, subject] = []] = await problemsOf(Notes)
  expect([code, subject]).toEqual(['E_HANDLER_GENERATOR', 'Notes.list'])
})

it('boot detects from handler parameters whether a field can send its own response', async () => {
  @Controller('notes')
  class Notes {
    @ApiResponse({ status: 202 }) one = get('/1', (_req) => 1)
    @ApiResponse({ status: 202 }) two = get('/2', (_req, res) => res.status(202).json(2))
  }
  const warnings = await bootWarnings({ controllers: [Notes] })
  expect(warnings.map(({ code, text }) => [code, text.includes('Notes.one')])).toEqual([
    ['W_STATUS_UNREACHABLE', true],
  ])
})

it('a conditional write requires a GET route that returns the row, as a field or a method', async () => {
  @Versioned()
  @Controller('notes')
  class Notes {
    read = get('/:id', ({ params }) => ({ id: params['id'], version: 1 }))
    write = put('/:id', ({ params }) => ({ id: params['id'], version: 2 }))
    other = put('/:id/other', () => 1)
    sends = get('/:id/sends', (_req, res) => res.json(1))
    after = put('/:id/sends', () => 1)
  }
  const problems = await problemsOf(Notes)
  expect(problems.map(([code, subject]) => [code, subject])).toEqual([
    ['E_VERSIONED_ROUTE', 'Notes.other @Versioned()'],
    ['E_VERSIONED_ROUTE', 'Notes.after @Versioned()'],
  ])
})

it('a decorated field without a route causes the same boot error as a decorated method without a route', async () => {
  @Controller('notes')
  class Notes {
    @Auth() list = () => []
    @HttpCode(201) other = () => []
    read = get('/', () => 1)
  }
  expect(await problemsOf(Notes)).toEqual(
    ['list', 'other'].map((name) => [
      'E_DECORATOR_ORPHAN',
      `Notes.${name}`,
      'It is decorated, but not as a route, so its decorators have no effect.',
    ]),
  )
})
