import {
  All,
  ApiBody,
  ApiHidden,
  ApiOperation,
  ApiResponseDoc,
  ApiTags,
  Auth,
  Body,
  Cache,
  Can,
  Checks,
  Controller,
  Cookies,
  compose,
  csv,
  cursor,
  Delete,
  Deprecated,
  defineOption,
  defineParameter,
  Envelope,
  file,
  Get,
  Head,
  Header,
  Headers,
  HttpCode,
  Idempotent,
  Injectable,
  JsonLines,
  Limits,
  Options,
  Paged,
  Params,
  Patch,
  Post,
  Produces,
  Public,
  Put,
  policy,
  Queries,
  Query,
  QueryMethod,
  RateLimit,
  Redirect,
  ResponseFields,
  Sse,
  standardWebhooks,
  Tenant,
  Upload,
  Use,
  Version,
  Versioned,
  Webhook,
} from 'blazon'
import { z } from 'zod'

// Every decorator on every kind of target that both dialects have, in the orders that can matter. `dialects.test.ts` compiles this
// file in both. The handlers are never called.

const Note = z.object({ id: z.uuid(), text: z.string() })
const Pages = cursor(Note, { order: ['id'] })
const Audited = defineOption<{ level: string }>('audited')
const Agent = defineParameter((req) => req.get('user-agent'), {
  in: 'header',
  name: 'user-agent',
  schema: z.string(),
})
const Picture = { picture: file({ max: 1_000_000 }), text: z.string() }
const NotePolicy = policy('note', { read: () => true, write: () => true })
const pass = (_req: unknown, _res: unknown, next: () => void) => next()
const Strict = compose(Auth(), Can('write'), RateLimit({ limit: 3, window: '1m' }))

@ApiResponseDoc({ status: 418, description: 'of the base' })
@Auth()
@Tenant()
export class Base {
  @Can('read')
  @Header('X-A', 'base')
  @Header('X-B', 'base')
  @Get('inherited')
  inherited(): string {
    return 'base'
  }

  @Public()
  @HttpCode(202)
  @Post('overridden')
  overridden(): string {
    return 'base'
  }

  @Get('hidden')
  hidden(): string {
    return 'base'
  }
}

@Controller('every')
@ApiTags('one', 'two')
@ApiResponseDoc({ status: 409, description: 'Conflict' })
@ApiResponseDoc({ status: 404, description: 'Absent' })
@Limits({ body: '1kb' })
@RateLimit({ limit: 10, window: '1m' })
@Queries(10)
@Use(pass)
@Audited({ level: 'class' })
export class Every extends Base {
  @Header('x-a', 'every')
  override inherited(): string {
    return 'every'
  }

  override overridden(): string {
    return 'every'
  }

  @ApiHidden()
  @Get('hidden')
  override hidden(): string {
    return 'every'
  }

  @Get()
  @Cache({ ttl: 60 })
  @ApiOperation({ summary: 'First', operationId: 'first' })
  @ApiResponseDoc({ status: 200, description: 'One', schema: Note })
  @Query(z.object({ tag: z.string().optional() }))
  @Headers(z.object({ 'x-version': z.string().optional() }))
  @Cookies(z.object({ theme: z.string().optional() }))
  first(): unknown {
    return null
  }

  @Get('stated/:id', {
    params: z.object({ id: z.uuid() }),
    returns: Note,
    status: 203,
    errors: { 404: 'No note', 410: { description: 'Gone', schema: Note } },
    responseHeaders: { 'x-stated': 'yes' },
    summary: 'By options',
    can: ['read', 'list'],
    cache: { ttl: 60 },
    rateLimit: false,
  })
  stated(): z.output<typeof Note> {
    return { id: '', text: 'a' }
  }

  @Get('wrapped/:id', { params: z.object({ id: z.uuid() }) })
  @Header('X-1', 'one')
  @Header('X-2', 'two')
  @Envelope(false)
  @ResponseFields('strip')
  wrapped(): unknown {
    return null
  }

  @Put(':id')
  @Params(z.object({ id: z.uuid() }))
  @Body(Note)
  @ApiBody({ description: 'A note', schema: Note })
  @Checks(NotePolicy, 'write')
  @Audited({ level: 'method' })
  replace(): void {}

  @Patch('strict')
  @Strict
  @Idempotent({ ttl: '1h' })
  @Deprecated({ since: '2026-01-01', sunset: '2026-12-31', successor: '/new' })
  @Versioned({ by: 'updatedAt', current: () => ({}) })
  @Body(Note)
  @Limits({ body: '2kb' })
  patch(): void {}

  @Delete('gone')
  @RateLimit(false)
  @Queries(1)
  remove(): void {}

  @Head('head')
  head(): void {}

  @Options('options')
  options(): void {}

  @Version('1', '2')
  @Get('in-versions')
  inVersions(): void {}

  @QueryMethod('search')
  search(): void {}

  @All('all')
  @Use(pass)
  @Use(pass)
  all(): void {}

  @Get('moved')
  @Redirect('/every')
  moved(): void {}

  @Get('rows')
  @Produces('application/json', csv())
  rows(): unknown[] {
    return []
  }

  @Sse(Note)
  @Get('events')
  async *events(): AsyncGenerator<z.infer<typeof Note>> {}

  @JsonLines(Note)
  @Get('lines')
  async *lines(): AsyncGenerator<z.infer<typeof Note>> {}

  @Get('paged')
  @Paged(Pages)
  paged(): unknown {
    return null
  }

  @Post('upload')
  @Upload(Picture)
  upload(): void {}

  @Post('hook')
  @Webhook(standardWebhooks(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']))
  hook(): void {}

  @Get('agent')
  @Agent()
  agent(): void {}
}

@Injectable()
export class Service {}

@Auth()
@Envelope(false)
@Produces('application/json')
@ResponseFields('send')
@Checks(NotePolicy, 'read')
@ApiHidden()
@Can('admin')
@Controller('/second/')
export class Second {
  @Public()
  @Get('open')
  open(): void {}

  @Auth()
  @Get('auth')
  auth(): void {}
}
