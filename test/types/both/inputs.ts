// Handlers against the schemas of their decorators, for every library of schemas.
import { type } from 'arktype'
import {
  BaseController,
  Body,
  Controller,
  Get,
  Headers,
  type InferOutput,
  type NextFunction,
  Params,
  Post,
  Query,
  type Req,
  type Request,
  type Response,
} from 'blazon'
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express'
import Type from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import type { Equal, Expect } from '../expect.js'

const Zod = z.object({ name: z.string(), age: z.coerce.number().default(0) })
const ZodAsync = Zod.refine(async ({ name }) => name !== 'taken').transform(async (user) => ({
  ...user,
  slug: user.name,
}))
const Id = z.object({ id: z.coerce.number() })
const Page = z.object({
  page: z.coerce.number().default(1),
  sort: z.enum(['asc', 'desc']).optional(),
})
const Trace = z.object({ 'x-trace': z.string().optional() })
const Valibot = v.object({ name: v.string(), age: v.optional(v.number(), 0) })
const ValibotAsync = v.pipeAsync(
  v.object({ name: v.string() }),
  v.transformAsync(async ({ name }) => ({ name, slug: name })),
)
const Arktype = type({ name: 'string', age: 'number = 0', 'nick?': 'string' })
const TypeBox = Type.Object({ name: Type.String(), age: Type.Optional(Type.Number()) })
const Plain = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', default: 0 },
    nick: { type: 'string' },
  },
  required: ['name'],
} as const
/** Its literal types are lost, so its output is unknown. */
const Widened = { type: 'object', properties: { name: { type: 'string' } } }

interface User {
  name: string
  age: number
}

export type Outputs = [
  Expect<Equal<InferOutput<typeof Zod>, User>>,
  Expect<Equal<InferOutput<typeof ZodAsync>, { slug: string; name: string; age: number }>>,
  Expect<Equal<InferOutput<typeof Valibot>, User>>,
  Expect<Equal<InferOutput<typeof ValibotAsync>, { name: string; slug: string }>>,
  Expect<Equal<InferOutput<typeof Arktype>, { name: string; age: number; nick?: string }>>,
  Expect<Equal<InferOutput<typeof TypeBox>, { name: string } & { age?: number }>>,
  Expect<Equal<InferOutput<typeof Plain>, { name: string; age: number } & { nick?: string }>>,
]

interface TenantRequest extends Request<{ id: number }> {
  tenant: string
}

@Controller('good')
export class Good extends BaseController {
  @Post('zod')
  @Body(Zod)
  zod(req: Req<{ body: typeof Zod }>, res: Response) {
    const user: User = req.body
    const validated: User = req.validated.body
    return this.ok(res, 'Created', { user, validated }, 201)
  }

  @Post('zod-async')
  @Body(ZodAsync)
  async zodAsync(req: Req<{ body: typeof ZodAsync }>): Promise<string> {
    return req.body.slug
  }

  @Post('valibot')
  @Body(Valibot)
  valibot(req: Req<{ body: typeof Valibot }>, res: Response, next: NextFunction) {
    if (req.body.age > 100) return next()
    res.json(req.body.name)
  }

  @Post('valibot-async')
  @Body(ValibotAsync)
  valibotAsync(req: Req<{ body: typeof ValibotAsync }>) {
    return req.body.slug
  }

  @Post('arktype')
  @Body(Arktype)
  arktype(req: Req<{ body: typeof Arktype }>) {
    const { name, age, nick }: { name: string; age: number; nick?: string | undefined } = req.body
    return { name, age, nick }
  }

  @Post('typebox')
  @Body(TypeBox)
  typebox(req: Req<{ body: typeof TypeBox }>) {
    const age: number | undefined = req.body.age
    return { age, name: req.body.name.toUpperCase() }
  }

  @Post('plain')
  @Body(Plain)
  plain(req: Req<{ body: typeof Plain }>) {
    const age: number = req.body.age
    return { age, name: req.body.name, nick: req.body.nick?.length }
  }

  @Post('widened')
  @Body(Widened)
  widened(req: Request<unknown, { anything: number }>) {
    return req.body.anything
  }

  @Post('inline')
  @Body({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] })
  inline(req: Request) {
    return req.body.name
  }

  @Get('ours/:id')
  @Params(Id)
  ours(req: Request<{ id: number }>) {
    return req.params.id + req.validated.params.id
  }

  @Get('express/:id')
  @Params(Id)
  @Query(Page)
  express(
    req: ExpressRequest<
      { id: number },
      unknown,
      unknown,
      { page: number; sort?: string | undefined }
    >,
    res: ExpressResponse<{ id: number }>,
  ) {
    res.json({ id: req.params.id + req.query.page })
  }

  @Post('express-untyped')
  @Body(Zod)
  expressUntyped(req: ExpressRequest, res: ExpressResponse) {
    res.json(req.body)
  }

  @Post('structural')
  @Body(Zod)
  structural({ body }: { body: { name: string } }) {
    return body.name
  }

  @Post('untyped')
  @Body(Zod)
  @Query(Page)
  untyped(req: Request, res: Response) {
    return this.ok(res, 'Anything', [req.body.whatever, req.query.whatever])
  }

  @Post('unused')
  @Body(Zod)
  unused() {
    return 'nothing is read'
  }

  @Post('unknown')
  @Body(Zod)
  unknown(_req: unknown) {}

  @Post('wider')
  @Body(Zod)
  wider(req: Request<unknown, { name: string | number; age?: number; nick?: unknown }>) {
    return req.body.name
  }

  @Post('combined/:id')
  @Params(Id)
  @Query(Page)
  @Headers(Trace)
  @Body(Zod)
  combined(
    req: Req<{ params: typeof Id; query: typeof Page; headers: typeof Trace; body: typeof Zod }>,
  ) {
    const id: number = req.params.id
    const sort: 'asc' | 'desc' | undefined = req.query.sort
    const trace: string | undefined = req.validated.headers['x-trace']
    return { id, sort, trace, name: req.body.name, sent: req.headers['x-trace'] }
  }

  @Post('partly/:id')
  @Params(Id)
  @Body(Zod)
  partly(req: Request<{ id: number }>) {
    return [req.params.id, req.body.whatever]
  }

  @Get('undeclared/:id')
  undeclared(req: Req) {
    const id: string = req.params.id as string
    const nothing: undefined = req.validated.body
    return { id, nothing, body: req.body.whatever }
  }
}

export function tenantOf(req: Request<{ id: number }>): string {
  return (req as TenantRequest).tenant
}

export class Bad {
  // @ts-expect-error the schema's name is a string
  @Body(Zod)
  wrongField(_req: Request<unknown, { name: number }>) {}

  // @ts-expect-error the schema's id is a number
  @Params(Id)
  wrongParam(_req: Request<{ id: string }>) {}

  // @ts-expect-error the params of Express' own request are strings, too
  @Params(Id)
  expressParams(_req: ExpressRequest) {}

  // @ts-expect-error the schema's id is a number, and an undeclared part of Req holds strings
  @Params(Id)
  undeclaredParam(_req: Req<{ body: typeof Zod }>) {}

  // @ts-expect-error sort may be missing
  @Query(Page)
  optionalAsRequired(_req: ExpressRequest<unknown, unknown, unknown, { sort: string }>) {}

  // @ts-expect-error zod returns { sort: undefined } for a missing sort
  @Query(Page)
  exactOptional(_req: Request<unknown, unknown, { sort?: 'asc' | 'desc' }>) {}

  // @ts-expect-error the schema has no e-mail
  @Body(Zod)
  extraProperty(_req: Request<unknown, User & { email: string }>) {}

  // @ts-expect-error a string is wider than this union
  @Body(Zod)
  narrower(_req: { body: { name: 'a' | 'b' } }) {}

  // @ts-expect-error the schema describes the body, the handler reads the query
  @Body(Zod)
  wrongSource(_req: Req<{ query: typeof Zod }>) {}

  // @ts-expect-error the same, with one correct part
  @Headers(Trace)
  @Body(Zod)
  forgottenPart(_req: Req<{ body: typeof Zod }>) {}

  // @ts-expect-error the value of x-trace is a string
  @Headers(Trace)
  wrongHeader(_req: Request<unknown, unknown, unknown, { 'x-trace': number }>) {}

  // @ts-expect-error the handler receives the output of the schema, not its input
  @Body(z.object({ at: z.string().transform((text) => new Date(text)) }))
  inputForOutput(_req: Request<unknown, { at: string }>) {}

  // @ts-expect-error the second argument is the response
  @Body(Zod)
  wrongSecond(_req: Request, _res: Request) {}

  // @ts-expect-error a handler has at most three parameters
  @Body(Zod)
  tooMany(_a: Request, _b: Response, _c: NextFunction, _d: string) {}

  // @ts-expect-error valibot: age is a number
  @Body(Valibot)
  valibot(_req: Request<unknown, { age: string }>) {}

  // @ts-expect-error valibot, async: the name is a string
  @Body(ValibotAsync)
  valibotAsync(_req: Request<unknown, { name: number }>) {}

  // @ts-expect-error arktype: nick may be missing
  @Body(Arktype)
  arktype(_req: Request<unknown, { nick: string }>) {}

  // @ts-expect-error TypeBox: age may be missing
  @Body(TypeBox)
  typebox(_req: Request<unknown, { age: number }>) {}

  // @ts-expect-error JSON Schema: age is a number
  @Body(Plain)
  plain(_req: Request<unknown, { age: string }>) {}

  // @ts-expect-error JSON Schema: nick may be missing
  @Body(Plain)
  plainOptional(_req: Request<unknown, { nick: string }>) {}

  // @ts-expect-error async handlers are checked as well
  @Body(Zod)
  async asynchronous(_req: Request<unknown, { name: number }>): Promise<void> {}

  // @ts-expect-error a class is not a schema
  @Body(Good)
  dto(_req: Request) {}

  // @ts-expect-error a string is not a schema
  @Body('name')
  text(_req: Request) {}
}
