// Handlers against the schemas in the options of their routes; inputs.ts has the same for separate decorators.
import { type } from 'arktype'
import {
  All,
  BaseController,
  Body,
  Controller,
  Cookies,
  Delete,
  Get,
  Head,
  HttpCode,
  Options,
  Params,
  Patch,
  Post,
  Put,
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
const Other = z.object({ name: z.number() })
const Id = z.object({ id: z.coerce.number() })
const Page = z.object({ page: z.coerce.number().default(1) })
const Trace = z.object({ 'x-trace': z.string().optional() })
const Valibot = v.object({ name: v.string() })
const Arktype = type({ name: 'string' })
const TypeBox = Type.Object({ name: Type.String() })

/** One place for the schemas, the route and the type of its request. */
const input = { params: Id, body: Zod, query: Page, headers: Trace }

export type FromOnePlace = [
  Expect<Equal<Req<typeof input>['body'], { name: string; age: number }>>,
  Expect<Equal<Req<typeof input>['params'], { id: number }>>,
  Expect<Equal<Req<typeof input>['query'], { page: number }>>,
  Expect<Equal<Req<typeof input>['validated']['headers'], { 'x-trace'?: string | undefined }>>,
]

@Controller('good')
export class Good extends BaseController {
  @Post('body', { body: Zod })
  @HttpCode(201)
  body({ body }: Req<{ body: typeof Zod }>) {
    return body.age + 1
  }

  @Put(':id', input)
  replace(req: Req<typeof input>, res: Response) {
    return this.ok(res, 'Replaced', { id: req.params.id + 1, age: req.body.age })
  }

  @Patch('valibot', { body: Valibot })
  valibot({ body }: Req<{ body: typeof Valibot }>) {
    return body.name.length
  }

  @Delete('arktype', { body: Arktype })
  arktype({ body }: Req<{ body: typeof Arktype }>) {
    return body.name.length
  }

  @All('typebox', { body: TypeBox })
  async typebox({ body }: Req<{ body: typeof TypeBox }>): Promise<number> {
    return body.name.length
  }

  @Get('query', { query: Page })
  @Head('query', { query: Page })
  @Options('query', { query: Page })
  query({ query }: Req<{ query: typeof Page }>) {
    return query.page + 1
  }

  @Post('untyped', { body: Zod })
  untyped(req: Request) {
    return req.body.whatever
  }

  @Post('express', { body: Zod })
  express(req: ExpressRequest, res: ExpressResponse) {
    res.json(req.body)
  }

  @Post('structural', { body: Zod })
  structural({ body }: { body: { name: string } }) {
    return body.name
  }

  @Post('unused', { body: Zod })
  unused() {}

  @Post('inline', {
    body: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  })
  inline(req: Request<unknown, { name: string }>) {
    return req.body.name
  }

  @Get('none', {})
  none(req: Req) {
    return req.path
  }

  // A route without options does not compare types.
  @Post('today')
  @Body(Zod)
  today({ body }: Req<{ body: typeof Zod }>) {
    return body.age
  }

  @Post('still/:id')
  still(req: Req<{ body: typeof Zod }>) {
    return req.body.age
  }
}

export class Bad {
  // @ts-expect-error the handler needs a body that the options do not declare
  @Post('', { query: Page })
  undeclared(_req: Req<{ query: typeof Page; body: typeof Zod }>) {}

  // @ts-expect-error empty options do not declare a body
  @Post('', {})
  nothingDeclared(_req: Req<{ body: typeof Zod }>) {}

  // @ts-expect-error the same without Req
  @Post('', { query: Page })
  structural(_req: { body: { name: string } }) {}

  // @ts-expect-error the same with the types of Request
  @Post('', { query: Page })
  byRequest(_req: Request<unknown, { name: string }>) {}

  // @ts-expect-error another type
  @Post('', { body: Other })
  otherType(_req: Req<{ body: typeof Zod }>) {}

  // @ts-expect-error another part
  @Post('', { query: Zod })
  otherPart(_req: Req<{ body: typeof Zod }>) {}

  // @ts-expect-error Req must name every declared part
  @Put(':id', { params: Id, body: Zod })
  forgotten(_req: Req<{ body: typeof Zod }>) {}

  // @ts-expect-error undeclared params are strings
  @Put(':id', { body: Zod })
  numbers(_req: Request<{ id: number }, { name: string }>) {}

  // @ts-expect-error an undeclared query may lack `page`
  @Get('', { params: Id })
  anyQuery(_req: { query: { page: number } }) {}

  // @ts-expect-error a part that does not exist
  @Post('', { boddy: Zod })
  misspelt() {}

  // @ts-expect-error a part that does not exist, beside one that exists
  @Post('', { query: Page, boddy: Zod })
  misspeltBeside() {}

  // @ts-expect-error a schema is not an options object
  @Post('', Zod)
  schema() {}

  // @ts-expect-error a class is not a schema
  @Post('', { body: Good })
  dto() {}

  // @ts-expect-error asynchronous handlers are checked as well
  @Post('', { body: Other })
  async asynchronous(_req: Req<{ body: typeof Zod }>): Promise<void> {}

  // @ts-expect-error the second argument is the response
  @Post('', { body: Zod })
  second(_req: Request, _res: Request) {}

  // @ts-expect-error the options do not include the schema of another decorator
  @Put(':id', { body: Zod })
  @Params(Id)
  mixed(_req: Req<{ params: typeof Id; body: typeof Zod }>) {}
}

const bodies = {
  body: [{ schema: Zod, type: 'form', limit: '1mb' }, { type: 'text' }],
} as const

/** Bodies with options: the handler receives the values of all of them. */
export class Bodies {
  @Post('', bodies)
  several({ body }: Req<typeof bodies>) {
    return typeof body === 'string' ? body.length : body.name
  }

  @Post('', { body: { schema: Zod, limit: 10 } })
  limited({ body }: Req<{ body: typeof Zod }>) {
    return body.name
  }

  // @ts-expect-error: text is not a number
  @Post('', { body: { type: 'text' } })
  wrongText(_: Req<{ body: z.ZodNumber }>) {}

  @Body({ type: 'bytes' })
  @Post()
  bytes({ body }: Req<{ body: { type: 'bytes' } }>) {
    const bytes: Buffer = body
    return bytes
  }

  @Body(Zod, { type: ['json', 'form'] })
  @Body({ type: 'text' })
  @Post()
  both({ body }: Req<{ body: typeof Zod | { type: 'text' } }>) {
    return typeof body === 'string' ? body : body.name
  }

  // @ts-expect-error: the handler receives no text
  @Body({ type: 'text' })
  @Post()
  wrongBoth({ body }: Req<{ body: typeof Zod }>) {
    return body.name
  }

  @Get('', { cookies: { schema: Page, signed: ['page'] } })
  cookies({ validated }: Req<{ cookies: typeof Page }>) {
    return validated.cookies.page
  }

  @Cookies(Page)
  @Get()
  decorated({ validated }: Req<{ cookies: typeof Page }>) {
    return validated.cookies.page
  }

  // @ts-expect-error: the cookies have no such type
  @Cookies(Page)
  @Get()
  wrongCookies(_: Req<{ cookies: typeof Other }>) {}

  // @ts-expect-error: there is no such option
  @Body(Zod, { size: 1 })
  @Post()
  wrongOption(_: Request) {}
}
