// Decorated parameters, which exist under `experimentalDecorators` only.
import { type } from 'arktype'
import {
  BaseController,
  Body,
  Controller,
  CurrentUser,
  defineParameter,
  Get,
  Headers,
  Inject,
  Injectable,
  InjectionToken,
  Params,
  Post,
  Query,
  Req,
  type Request,
  Res,
  type Response,
  type User,
} from 'blazon'
import type { Request as ExpressRequest } from 'express'
import Type from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'

const Zod = z.object({ name: z.string(), age: z.coerce.number().default(0) })
const Id = z.object({ id: z.coerce.number() })
const Union = z.union([z.object({ a: z.string() }), z.object({ b: z.number() })])
const Valibot = v.object({ name: v.string() })
const Arktype = type({ name: 'string' })
const TypeBox = Type.Object({ name: Type.String() })
const Plain = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
} as const

interface User1 {
  name: string
  age: number
}

@Controller('good')
export class Good extends BaseController {
  @Post(':id')
  create(
    @Params(Id) params: { id: number },
    @Body(Zod) body: User1,
    @Query(Id) { id }: z.infer<typeof Id>,
    @Headers(z.object({ 'x-trace': z.string() })) headers: { 'x-trace': string },
    @Res() res: Response,
  ) {
    return this.ok(res, 'Created', [params.id, body, id, headers['x-trace']], 201)
  }

  @Get('me')
  me(@CurrentUser() user: User | undefined, @Req() req: Request, @Res() res: Response) {
    res.json({ user, ip: req.ip })
  }

  @Get('express')
  express(@Req() req: ExpressRequest) {
    return req.ip
  }

  @Post('typed')
  typed(@Req() req: Req<{ body: typeof Zod }>) {
    return req.body.age.toFixed()
  }

  @Post('wider')
  wider(@Body(Zod) body: { name: string }, @Params() params: Record<string, string>) {
    return [body.name, params]
  }

  @Post('union')
  union(@Body(Union) body: { a: string } | { b: number }) {
    return body
  }

  @Post('untyped')
  // biome-ignore lint/suspicious/noExplicitAny: a parameter may stay untyped
  untyped(@Body(Zod) body: any, @Body() whole: unknown) {
    return [body, whole]
  }

  @Post('optional')
  optional(@Body(z.string().optional()) text?: string | undefined) {
    return text
  }

  @Post('libraries')
  libraries(
    @Body(Valibot) a: { name: string },
    @Query(Arktype) b: { name: string },
    @Params(TypeBox) c: { name: string },
    @Headers(Plain) d: { name: string },
  ) {
    return [a, b, c, d]
  }
}

export class Bad {
  // @ts-expect-error the name is a string
  wrongField(@Body(Zod) _body: { name: number }) {}

  // @ts-expect-error the id is a number
  wrongParam(@Params(Id) _params: { id: string }) {}

  // @ts-expect-error the schema has no e-mail
  extraProperty(@Body(Zod) _body: { email: string }) {}

  // @ts-expect-error one of the two branches does not fit
  halfOfUnion(@Body(Union) _body: { a: string }) {}

  // @ts-expect-error the text may be missing
  optionalAsRequired(@Body(z.string().optional()) _text: string) {}

  // @ts-expect-error the value is the body, not the request
  request(@Body(Zod) _req: Request<unknown, User1>) {}

  second(
    @Params(Id) _params: { id: number },
    // @ts-expect-error the second parameter is checked by its own schema
    @Body(Zod) _body: { name: number },
  ) {}

  // @ts-expect-error valibot
  valibot(@Body(Valibot) _body: { name: number }) {}

  // @ts-expect-error arktype
  arktype(@Body(Arktype) _body: { name: number }) {}

  // @ts-expect-error TypeBox
  typebox(@Body(TypeBox) _body: { name: number }) {}

  // @ts-expect-error JSON Schema
  plain(@Body(Plain) _body: { name: number }) {}

  // @ts-expect-error @Get describes methods
  verb(@Get() _req: Request) {}
}

const Now = new InjectionToken<() => Date>('Now')

abstract class Store {
  abstract find(id: string): string
}

@Injectable()
export class Service {
  @Inject(Now) readonly now!: () => Date

  constructor(
    @Inject(Store) readonly store: Store,
    @Inject('config') readonly config: { readonly url: string },
    @Inject(Symbol.for('port')) readonly port: number,
  ) {}
}

export class BadService {
  // @ts-expect-error a field needs no schema
  @Body(Zod) name = ''

  constructor(
    // @ts-expect-error a constructor has no body
    @Body(Zod) readonly body: User1,
  ) {}

  // @ts-expect-error @Inject describes fields and constructor parameters
  @Inject(Store)
  method() {}
}

@Controller('keys')
export class Keys {
  @Post(':id')
  good(
    @Params('id', z.coerce.number()) id: number,
    @Params('id') raw: string,
    @Query('page', z.coerce.number().optional()) page: number | undefined,
    @Headers('x-trace') trace: unknown,
    @Body('title', z.string()) title: string,
  ) {
    return [id, raw, page, trace, title]
  }

  @Post('bad/:id')
  bad(
    // @ts-expect-error: the schema makes it a number
    @Params('id', z.coerce.number()) id: string,
    // @ts-expect-error: it may be missing
    @Query('page', z.coerce.number().optional()) page: number,
    // @ts-expect-error: the schema makes it a string
    @Body('title', z.string()) title: { text: string },
  ) {
    return [id, page, title]
  }
}

const Ip = defineParameter((req) => req.ip ?? '')

@Controller('defined')
export class Defined {
  @Get()
  good(@Ip() ip: string, @Ip() other: string | undefined) {
    return [ip, other]
  }

  @Get('bad')
  // @ts-expect-error: it is a string
  bad(@Ip() ip: number) {
    return ip
  }
}

class Account {
  constructor(
    readonly id: number,
    readonly email: string,
  ) {}
}

@Controller('users')
export class Users {
  @Get()
  good(
    @CurrentUser() user: User,
    @CurrentUser() maybe: User | undefined,
    @CurrentUser() orNull: Account | null,
    @CurrentUser() account: Account,
    @CurrentUser() { id }: { id: number },
    @CurrentUser() anything: unknown,
    @Req() req: Req<{ auth: true }>,
    @CurrentUser() last?: Account,
  ) {
    return [user, maybe, orNull, account, id, anything, req.user.id, last]
  }

  @Get('bad')
  bad(
    // @ts-expect-error: a user is an object
    @CurrentUser() name: string,
    // @ts-expect-error: roles are strings
    @CurrentUser() user: { roles: number[] },
  ) {
    return [name, user]
  }

  // @ts-expect-error: @CurrentUser describes parameters
  @CurrentUser()
  method() {}
}
