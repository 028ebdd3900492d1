import {
  ApiBody,
  ApiResponseDoc,
  Auth,
  Body,
  Can,
  Controller,
  Cookies,
  cursor,
  Get,
  Header,
  Headers,
  Paged,
  Params,
  Post,
  Query,
  type Request,
  type Response,
  ResponseFields,
  Sse,
  Use,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

const pay = { visibleTo: 'payroll:read' }
const Row = z.object({ id: z.int(), salary: z.int().meta(pay).optional() })

/** The problems of a route whose response has this schema. */
function responding(schema: object, more: object = {}) {
  @Controller()
  class Rows {
    @ApiResponseDoc({ status: 200, schema: schema as typeof Row, ...more })
    @Get()
    get() {
      return {}
    }
  }
  return { controllers: [Rows] }
}

/** A JSON Schema whose field `a` is marked with this. */
const markedWith = (visibleTo: unknown) => ({
  type: 'object',
  properties: { a: { type: 'string', visibleTo } },
})

describe('a `visibleTo` mark that cannot take effect', () => {
  it.each([[''], [[]], [['a', '']], [7], [true], [{ ability: 'a' }], [['a', 1]], [null]])(
    'causes a boot error if its value is %j',
    async (value) => {
      expect(await bootProblems(responding(markedWith(value)))).toMatchObject([
        {
          code: 'E_VISIBILITY_MARK',
          subject: "Rows.get @ApiResponseDoc(200) at 'a'",
          cause: expect.stringContaining('neither a string nor a list of strings'),
          remedy: expect.stringContaining("`visibleTo: 'payroll:read'`"),
        },
      ])
    },
  )

  it.each<[string, object, string, RegExp]>([
    ['the whole response', Row.meta(pay), '', /whole value/],
    [
      'an alternative of the response',
      z.union([Row, z.object({ a: z.int() }).meta(pay)]),
      '',
      /whole value/,
    ],
    [
      'a position of a tuple',
      z.object({ a: z.tuple([z.int().meta(pay)]) }),
      " at 'a.*'",
      /position/,
    ],
    ['a condition', { not: markedWith('x') }, " at 'a'", /condition/],
    [
      'the schema before a transform',
      z.object({ a: z.int().meta(pay).transform(String).pipe(z.string()), b: z.int().meta(pay) }),
      " at 'a'",
      /inside a transform/,
    ],
  ])('causes a boot error on %s', async (_, schema, place, cause) => {
    expect(await bootProblems(responding(schema))).toMatchObject([
      {
        code: 'E_VISIBILITY_MARK',
        subject: `Rows.get @ApiResponseDoc(200)${place}`,
        cause: expect.stringMatching(cause),
      },
    ])
  })

  it('causes a boot error on a required part of the request', async () => {
    @Controller()
    class Rows {
      @Params(z.object({ id: z.string().meta(pay) }))
      @ApiResponseDoc({ status: 204 })
      @Get(':id')
      get() {}
    }
    expect(await bootProblems({ controllers: [Rows] })).toMatchObject([
      { code: 'E_VISIBILITY_MARK', subject: "Rows.get @Params at 'id'" },
    ])
  })

  it('causes a boot error on headers and cookies of the request', async () => {
    const [header, cookie] = ['x-pay', 'pay'].map((name) =>
      z.object({ [name]: z.string().meta(pay) }),
    )
    @Controller()
    class Rows {
      @Headers(header as z.ZodObject)
      @Cookies(cookie as z.ZodObject)
      @ApiResponseDoc({ status: 204 })
      @Get()
      get() {}
    }
    const problems = await bootProblems({ controllers: [Rows] })
    expect(problems.map(({ subject }) => subject).sort()).toEqual([
      "Rows.get @Cookies at 'pay'",
      "Rows.get @Headers at 'x-pay'",
    ])
    expect(problems[0]?.cause).toContain('is neither in a body nor in a query')
  })

  it('causes a boot error on the items of a stream', async () => {
    @Controller()
    class Rows {
      @Get()
      @Sse(Row.meta(pay))
      async *get() {
        yield { id: 1 }
      }
    }
    expect(await bootProblems({ controllers: [Rows] })).toMatchObject([
      { code: 'E_VISIBILITY_MARK', subject: 'Rows.get items' },
    ])
  })
})

describe('a field that cannot be protected', () => {
  it('causes a boot error in a response that is not JSON', async () => {
    const problems = await bootProblems(responding(Row, { contentType: 'text/csv' }))
    expect(problems).toMatchObject([
      {
        code: 'E_VISIBILITY_UNPROTECTED',
        cause: expect.stringContaining("'text/csv' is not JSON"),
      },
    ])
  })

  it('causes a boot error if @Header sets a media type that is not JSON', async () => {
    @Controller()
    class Rows {
      @Header('Content-Type', 'text/csv')
      @ApiResponseDoc({ status: 200, schema: Row })
      @Get()
      get() {}
    }
    const problems = await bootProblems({ controllers: [Rows] })
    expect(problems).toMatchObject([{ code: 'E_VISIBILITY_UNPROTECTED' }])
  })

  it('causes a boot error if a cursor uses it for its order', async () => {
    const Walk = cursor(z.object({ id: z.int(), salary: z.int().meta(pay) }), {
      order: ['salary', 'id'],
    })
    @Controller()
    class Rows {
      @Get()
      @Paged(Walk)
      get() {
        return { items: [], next: null }
      }
    }
    const problems = await bootProblems({
      controllers: [Rows],
      cookies: { keys: ['k'.repeat(32)] },
    })
    expect(problems).toMatchObject([
      { code: 'E_VISIBILITY_UNPROTECTED', subject: 'Rows.get @Paged' },
    ])
  })
})

describe('the warnings about marks', () => {
  const auth = { guard: { canActivate: () => true } }
  const Required = z.object({ salary: z.int().meta(pay), at: z.string() })

  it('report a required field that most callers must not send', async () => {
    @Auth({ optional: true })
    @Controller()
    class Rows {
      @Body(Required)
      @ApiResponseDoc({ status: 204 })
      @Post()
      add() {}

      @Query(z.object({ q: z.string().meta(pay) }))
      @ApiResponseDoc({ status: 204 })
      @Get()
      find() {}

      @Body(Row)
      @ApiResponseDoc({ status: 204 })
      @Post('optional')
      optional() {}
    }
    const warnings = await bootWarnings({ controllers: [Rows], auth })
    expect(warnings.map(({ code }) => code)).toEqual([
      'W_VISIBILITY_REQUIRED',
      'W_VISIBILITY_REQUIRED',
    ])
    expect(warnings[0]?.text).toContain("Rows.add @Body at 'salary'")
    expect(warnings[0]?.text).toContain("@Can('payroll:read')")
    expect(warnings[1]?.text).toContain("Rows.find @Query at 'q'")
  })

  it('are not logged if @Can restricts access', async () => {
    @Auth()
    @Controller()
    class Rows {
      @Can('payroll:read', 'other')
      @Body(Required)
      @ApiResponseDoc({ status: 204 })
      @Post()
      add() {}
    }
    const warnings = await bootWarnings({ controllers: [Rows], auth })
    expect(warnings.filter(({ code }) => code.startsWith('W_VISIBILITY'))).toEqual([])
  })

  it('report a required field with two abilities if @Can names only one of them', async () => {
    const Both = z.object({ salary: z.int().meta({ visibleTo: ['payroll:read', 'hr'] }) })
    @Auth()
    @Controller()
    class Rows {
      @Can('hr')
      @Body(Both)
      @ApiResponseDoc({ status: 204 })
      @Post()
      add() {}
    }
    const warnings = await bootWarnings({ controllers: [Rows], auth })
    expect(warnings.map(({ code }) => code)).toEqual(['W_VISIBILITY_REQUIRED'])
    expect(warnings[0]?.text).toContain("@Can('hr', 'payroll:read')")
  })

  it('report responses without a schema, but only in an application with marks', async () => {
    @Auth({ optional: true })
    @Controller('marked')
    class Marked {
      @ApiBody({ schema: Row })
      @Post()
      add() {
        return { salary: 1 }
      }
    }
    @Controller('other')
    class Other {
      @Get()
      undescribed() {
        return {}
      }

      @ResponseFields('send')
      @Get('meant')
      meant() {
        return {}
      }
    }
    const [warning, ...more] = await bootWarnings({ controllers: [Marked, Other], auth })
    expect(more).toEqual([])
    expect(warning?.code).toBe('W_VISIBILITY_UNDESCRIBED')
    expect(warning?.text).toContain('] Marked.add, Other.undescribed\n')
    expect(await bootWarnings({ controllers: [Other] })).toEqual([])
  })

  it('report public routes, which have no known caller', async () => {
    @Controller()
    class Rows {
      @ApiResponseDoc({ status: 200, schema: Row })
      @Get()
      get() {
        return { id: 1 }
      }
    }
    const warnings = await bootWarnings({ controllers: [Rows], auth })
    expect(warnings.map(({ code }) => code)).toEqual(['W_VISIBILITY_WITHOUT_USER'])
    const middlewares = [(_req: Request, _res: Response, next: () => void) => next()]
    expect(await bootWarnings({ controllers: [Rows], auth, middlewares })).toEqual([])
  })

  it('are not logged for a public route whose own middleware can identify the caller', async () => {
    @Controller()
    class Rows {
      @Use((_req: Request, _res: Response, next: () => void) => next())
      @ApiResponseDoc({ status: 200, schema: Row })
      @Get()
      get() {
        return { id: 1 }
      }
    }
    expect(await bootWarnings({ controllers: [Rows], auth })).toEqual([])
  })
})
