// A decorator on a wrong target is a compile error.
import {
  All,
  ApiResponseDoc,
  Auth,
  Body,
  Can,
  Controller,
  Delete,
  Envelope,
  type EnvelopeFormat,
  Get,
  Head,
  Header,
  Headers,
  HttpCode,
  Inject,
  Injectable,
  Limits,
  Options,
  Params,
  Patch,
  Post,
  Public,
  Put,
  Query,
  RateLimit,
  Redirect,
} from 'blazon'
import { z } from 'zod'

const Schema = z.object({ name: z.string() })

@Injectable()
@Can('read')
@RateLimit({ limit: 100, window: 60 })
@Limits({ body: '5mb', depth: 20, timeout: '5s' })
@Auth()
@Controller('good')
export class Good {
  @Get()
  @Head('head')
  @Post()
  @Put()
  @Patch()
  @Delete()
  @Options()
  @All('all')
  @Auth()
  @Can('write', 'read')
  @RateLimit(
    { limit: 5, window: '1m', by: (req) => req.ip ?? '' },
    { name: 'b', limit: 9, window: 9 },
  )
  @HttpCode(202)
  @Limits({ timeout: false })
  @Header('x-a', 'b')
  method() {}

  @Get('public')
  @Public()
  @RateLimit(false)
  @Redirect('/elsewhere')
  async redirected() {}
}

@Controller()
export abstract class Base {
  @Get('inherited')
  inherited() {}
}

// @ts-expect-error a verb describes a method
@Get()
export class VerbOnClass {}

// @ts-expect-error a schema describes a method
@Body(Schema)
export class BodyOnClass {}

// @ts-expect-error a schema of the query describes a method, too
@Query(Schema)
export class QueryOnClass {}

// @ts-expect-error a class is not injected
@Inject('x')
export class InjectOnClass {}

// @ts-expect-error @Public opens a method
@Public()
export class PublicOnClass {}

// @ts-expect-error the parentheses are missing
@Controller
export class WithoutParentheses {}

export class Members {
  // @ts-expect-error a verb describes a method
  @Get() field = 1

  // @ts-expect-error an arrow function in a field is not a method
  @Post() arrow = () => 1

  // @ts-expect-error a schema describes a method
  @Params(Schema) params = 1

  // @ts-expect-error a prefix describes a class
  @Controller('x')
  controller() {}

  // @ts-expect-error a class is injectable
  @Injectable()
  injectable() {}

  // @ts-expect-error a status is a number
  @HttpCode('202')
  status() {}

  // @ts-expect-error a path is a string
  @Get(1)
  path() {}

  // @ts-expect-error the schema is missing
  @Headers()
  headers() {}

  // @ts-expect-error the limit is missing
  @RateLimit()
  unlimited() {}

  // @ts-expect-error a limit has a window
  @RateLimit({ limit: 1 })
  endless() {}

  // @ts-expect-error a limit has no `max`
  @RateLimit({ limit: 1, window: 1, max: 1 })
  misspelt() {}

  // @ts-expect-error a limit is an object or false
  @RateLimit(true)
  limited() {}

  // @ts-expect-error the limits are missing
  @Limits()
  boundless() {}

  // @ts-expect-error the limits have no `handler`
  @Limits({ handler: '5s' })
  misnamed() {}

  // @ts-expect-error only `false` switches the time limit off
  @Limits({ timeout: true })
  timeless() {}

  // @ts-expect-error an ability is a string
  @Can(1)
  can() {}
}

// The wire format: an envelope on a class and on a method, and an envelope that is none.
const enveloped: EnvelopeFormat = {
  success: (data, { status, message, req }) => ({ data, status, message, path: req.path }),
  schema: (data) => ({ type: 'object', properties: { data } }),
}

@Envelope(enveloped)
@ApiResponseDoc({ status: 404 })
@Controller('enveloped')
export class EnvelopedController {
  @Envelope(false) @Get() bare() {
    return 1
  }

  // @ts-expect-error A text is not an envelope.
  @Envelope('none') @Get('wrong') wrong() {
    return 1
  }
}
